/** The row of buttons below the text: attach, mention, importance, question, send. */
import { Show } from 'solid-js';
import type { Importance } from '../api/model';
import { Icon } from '../parts/Icon';
import { MenuButton } from '../parts/menu/Menu';
import type { ComposerState } from './composer_state';
import './ComposerToolbar.css';

export function ComposerToolbar(props: { composer: ComposerState }) {
  const { composer } = props;
  const canSend = () => composer.readiness() === 'ready' || composer.readiness() === 'uploading';
  return (
    <div class="composer-tools">
      <AttachButton composer={composer} />
      <button
        type="button"
        class="icon-button"
        aria-label="Mention someone"
        title="Mention someone"
        // Keeps the focus in the field: the list closes without it.
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => composer.beginMention()}
      >
        <Icon name="at" />
      </button>
      <ImportanceMenu composer={composer} />
      <button
        type="button"
        class="composer-choice wait-switch"
        aria-pressed={composer.draft().blocking}
        title="Ask a question; the agents that it addresses pause until it is answered"
        onClick={() => composer.change({ blocking: !composer.draft().blocking })}
      >
        <Icon name="question" size={16} />
        <span class="wait-words">Ask and wait</span>
      </button>
      <span class="composer-gap" />
      <span class="send-hint" aria-hidden="true">
        <kbd class="kbd">{sendKeys(composer.store.preferences().enterSends)}</kbd> sends
      </span>
      <button type="submit" class="send-button" aria-label="Send" title="Send" disabled={!canSend()}>
        <Icon name="send" />
      </button>
    </div>
  );
}

function sendKeys(enterSends: boolean): string {
  if (enterSends) return 'Enter';
  return /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘ Enter' : 'Ctrl Enter';
}

function AttachButton(props: { composer: ComposerState }) {
  let picker: HTMLInputElement | undefined;
  return (
    <>
      <button
        type="button"
        class="icon-button"
        aria-label="Attach files"
        title="Attach files"
        onClick={() => picker?.click()}
      >
        <Icon name="attach" />
      </button>
      <input
        type="file"
        multiple
        hidden
        ref={picker}
        onChange={(event) => {
          props.composer.addFiles([...(event.currentTarget.files ?? [])]);
          // Allows picking the same file again after it was removed.
          event.currentTarget.value = '';
          props.composer.focus();
        }}
      />
    </>
  );
}

const IMPORTANCES: readonly { value: Importance; label: string; detail: string }[] = [
  { value: 'normal', label: 'Normal', detail: '' },
  { value: 'high', label: 'High', detail: 'highlighted' },
  { value: 'critical', label: 'Critical', detail: 'comes first' },
];

function ImportanceMenu(props: { composer: ComposerState }) {
  const value = () => props.composer.draft().importance;
  const label = () => IMPORTANCES.find((one) => one.value === value())?.label ?? 'Normal';
  return (
    <span class="importance" data-importance={value()}>
      <MenuButton
        label={`Importance: ${label()}`}
        class="composer-choice"
        entries={IMPORTANCES.map((one) => ({
          type: 'radio' as const,
          label: one.label,
          detail: one.detail,
          isOn: one.value === value(),
          run: () => props.composer.change({ importance: one.value }),
        }))}
      >
        <Show when={value() !== 'normal'}>
          <Icon name="warning" size={16} />
        </Show>
        {label()}
        <Icon name="chevron" size={14} />
      </MenuButton>
    </span>
  );
}

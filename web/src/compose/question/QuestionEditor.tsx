/** The question editor of a blocking message: recipients, options, expiry and default. */
import { createMemo, For, Show } from 'solid-js';
import type { Ask } from '../../api/model';
import { Icon } from '../../parts/Icon';
import type { ComposerState } from '../composer_state';
import {
  EXPIRIES,
  EXPIRY_DEFAULT,
  LABEL_CHARS_MAX,
  OPTIONS_MAX,
  optionsOf,
  withDefault,
  withLabel,
  withOption,
  withoutOption,
} from './question_draft';
import { questionRecipients, recipientsText } from './question_recipients';
import './QuestionEditor.css';

export function QuestionEditor(props: { composer: ComposerState }) {
  return (
    <Show when={props.composer.draft().blocking}>
      <section class="ask-editor" aria-label="Ask and wait">
        <RecipientsLine composer={props.composer} />
        <Options composer={props.composer} />
        <ExpiryFields composer={props.composer} />
      </section>
    </Show>
  );
}

function change(composer: ComposerState, edit: (ask: Ask | undefined) => Ask): void {
  composer.change({ ask: edit(composer.draft().ask) });
}

function RecipientsLine(props: { composer: ComposerState }) {
  const { composer } = props;
  const words = createMemo(() => {
    const snapshot = composer.store.snapshot();
    const members = [...composer.store.members().values()];
    return snapshot ? recipientsText(questionRecipients(composer.text(), snapshot, composer.id(), members)) : '';
  });
  return (
    <p class="ask-whom" role="status">
      <Icon name="question" size={16} />
      {words()}
    </p>
  );
}

function Options(props: { composer: ComposerState }) {
  const { composer } = props;
  const options = () => optionsOf(composer.draft().ask);
  const ids = createMemo(() => options().map((one) => one.id), [], {
    equals: (one, other) => one.join() === other.join(),
  });
  let list: HTMLUListElement | undefined;
  const focusAt = (index: number) => list?.querySelectorAll('input')[index]?.focus();
  const add = () => {
    change(composer, withOption);
    focusAt(options().length - 1);
  };
  const remove = (id: string, index: number) => {
    change(composer, (ask) => withoutOption(ask, id));
    if (options().length > 0) focusAt(Math.min(index, options().length - 1));
    else composer.focus();
  };
  return (
    <>
      <ul class="ask-options" ref={list}>
        <For each={ids()}>
          {(id, index) => (
            <li>
              <input
                type="text"
                class="text-input"
                aria-label={`Option ${index() + 1}`}
                placeholder={`Option ${index() + 1}`}
                maxlength={LABEL_CHARS_MAX}
                value={options().find((one) => one.id === id)?.label ?? ''}
                onInput={(event) => change(composer, (ask) => withLabel(ask, id, event.currentTarget.value))}
                on:keydown={(event) => {
                  // Enter adds an option instead of sending an unfinished message.
                  if (event.key !== 'Enter' || event.isComposing) return;
                  event.preventDefault();
                  if (index() < ids().length - 1) focusAt(index() + 1);
                  else if (event.currentTarget.value.trim() !== '') add();
                }}
              />
              <button
                type="button"
                class="icon-button"
                aria-label={`Remove option ${index() + 1}`}
                onClick={() => remove(id, index())}
              >
                <Icon name="close" size={16} />
              </button>
            </li>
          )}
        </For>
      </ul>
      <Show when={options().length < OPTIONS_MAX} fallback={<p class="hint">{OPTIONS_MAX} options at most.</p>}>
        <button type="button" class="composer-choice ask-add" onClick={add}>
          <Icon name="plus" size={16} />
          {options().length === 0 ? 'Add options' : 'Add another option'}
        </button>
      </Show>
    </>
  );
}

function ExpiryFields(props: { composer: ComposerState }) {
  const { composer } = props;
  const ask = () => composer.draft().ask;
  const seconds = () => ask()?.expires_in_seconds ?? EXPIRY_DEFAULT;
  const named = () => optionsOf(ask()).filter((one) => one.label.trim() !== '');
  return (
    <div class="ask-ends">
      <label>
        Expires in
        <select
          class="text-input"
          onChange={(event) => {
            const seconds = Number(event.currentTarget.value);
            change(composer, (one) => ({ ...one, expires_in_seconds: seconds }));
          }}
        >
          <For each={EXPIRIES}>
            {(one) => (
              <option value={one.seconds} selected={one.seconds === seconds()}>
                {one.label}
              </option>
            )}
          </For>
        </select>
      </label>
      <Show when={named().length > 0}>
        <label>
          If nobody answers
          <select
            class="text-input"
            onChange={(event) => {
              const id = event.currentTarget.value;
              change(composer, (one) => withDefault(one, id));
            }}
          >
            <option value="" selected={!ask()?.default}>
              no answer
            </option>
            <For each={named()}>
              {(one) => (
                <option value={one.id} selected={one.id === ask()?.default}>
                  {one.label}
                </option>
              )}
            </For>
          </select>
        </label>
      </Show>
    </div>
  );
}

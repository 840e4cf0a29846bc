/** The text field. It grows with its text up to a share of the window, without measuring. */
import type { JSX } from 'solid-js';
import { filesOfPaste } from './attach/paste';
import type { ComposerState } from './composer_state';
import { actionOfKey, type FieldAction } from './field_keys';
import { MIRROR_CHARS_MAX } from './limits';
import { isEmptyDraft } from './send_draft';
import { optionId } from './suggest/Suggestions';
import type { SuggestionState } from './suggest/suggestion_state';
import './ComposerField.css';

export function ComposerField(props: {
  composer: ComposerState;
  suggesting: SuggestionState;
  label: string;
  placeholder: string;
  listId: string;
  notesId: string;
}) {
  const { composer, suggesting } = props;
  const isOpen = () => suggesting.isOpen();
  return (
    // A copy of the text behind the field sets its height: measuring the field would move the list above.
    <div class="growing" data-text={composer.text().slice(0, MIRROR_CHARS_MAX)}>
      <textarea
        ref={(element) => {
          composer.field = element;
        }}
        rows={1}
        value={composer.text()}
        placeholder={props.placeholder}
        aria-label={props.label}
        aria-describedby={props.notesId}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={isOpen() ? props.listId : undefined}
        aria-activedescendant={isOpen() ? optionId(props.listId, suggesting.marked()) : undefined}
        enterkeyhint={composer.store.preferences().enterSends ? 'send' : 'enter'}
        onInput={() => composer.takeInput()}
        on:keydown={(event) => answerKey(event, composer, suggesting)}
        onKeyUp={() => composer.noteCaret()}
        onPointerUp={() => composer.noteCaret()}
        onBlur={() => composer.rest()}
        onPaste={(event) => takePaste(event, composer)}
      />
    </div>
  );
}

function answerKey(event: KeyboardEvent, composer: ComposerState, suggesting: SuggestionState): void {
  const draft = composer.draft();
  const action = actionOfKey(event, {
    isListOpen: suggesting.isOpen(),
    isWholeCommand: suggesting.isWholeCommand(),
    isReplying: draft.replyTo !== undefined,
    isEmpty: isEmptyDraft(draft),
    hasText: draft.text !== '',
    enterSends: composer.store.preferences().enterSends,
  });
  if (action === 'leave' || !doAction(action, composer, suggesting)) return;
  event.preventDefault();
  event.stopPropagation();
}

/** Performs an action; returns false when there was nothing to do and the browser should handle the key. */
function doAction(
  action: Exclude<FieldAction, 'leave'>,
  composer: ComposerState,
  suggesting: SuggestionState,
): boolean {
  switch (action) {
    case 'edit_last':
      return composer.editLast();
    case 'send':
      composer.submit();
      break;
    case 'pick':
      suggesting.pick(suggesting.marked());
      break;
    case 'next':
      suggesting.step(1);
      break;
    case 'previous':
      suggesting.step(-1);
      break;
    case 'close_list':
      suggesting.close();
      break;
    case 'cancel_reply':
      composer.change({ replyTo: undefined });
      break;
    case 'clear':
      composer.clear();
  }
  return true;
}

const takePaste = (
  event: Parameters<JSX.EventHandler<HTMLTextAreaElement, ClipboardEvent>>[0],
  composer: ComposerState,
) => {
  const data = event.clipboardData;
  if (!data) return;
  const files = filesOfPaste(data);
  if (files.length === 0) return composer.offerAsFile(data.getData('text/plain').replace(/\r\n?/g, '\n'));
  event.preventDefault();
  composer.addFiles(files);
};

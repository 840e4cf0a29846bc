/** The message composer: a text field that grows with its text, and one draft per conversation. */
import { createEffect, createUniqueId, on, onCleanup, Show } from 'solid-js';
import type { ConversationId } from '../api/model';
import { Icon } from '../parts/Icon';
import { takesFocus } from '../platform/focus';
import { conversationOf } from '../state/selectors';
import { useStore } from '../state/store_context';
import { DraftAttachments } from './attach/DraftAttachments';
import { DropZone } from './attach/DropZone';
import { ComposerField } from './ComposerField';
import { ComposerHints, isOffline, OFFLINE } from './ComposerHints';
import { ComposerToolbar } from './ComposerToolbar';
import { CommandHelp } from './command/CommandHelp';
import { ComposerState } from './composer_state';
import { QuestionEditor } from './question/QuestionEditor';
import { ReplyBar } from './ReplyBar';
import { createNarrow, mayTakeFocus } from './screen';
import { newListId, Suggestions } from './suggest/Suggestions';
import { createSuggestionState } from './suggest/suggestion_state';
import './Composer.css';

export function Composer(props: {
  conversationId: ConversationId;
  /** Name of the recipient: `#release`, `Mara`, `the thread`. */
  label: string;
  /** Why nobody can write here; shown instead of the field. */
  readOnly?: string | undefined;
  /** The element that had the focus when the conversation was opened. */
  opener?: Element | null;
}) {
  return (
    <Show
      when={props.readOnly}
      fallback={<Card conversationId={props.conversationId} label={props.label} opener={props.opener ?? null} />}
    >
      {(why) => (
        <p class="composer composer-closed">
          <Icon name="lock" size={16} />
          {why()}
        </p>
      )}
    </Show>
  );
}

function Card(props: { conversationId: ConversationId; label: string; opener: Element | null }) {
  const store = useStore();
  const composing = new ComposerState(store, () => props.conversationId);
  const suggesting = createSuggestionState(composing);
  const listId = newListId();
  const notesId = createUniqueId();
  let form: HTMLFormElement | undefined;
  const isNarrow = createNarrow(() => form);
  takeFocus(composing, props.opener);
  return (
    <form
      class="composer"
      aria-label={`Message ${props.label}`}
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        composing.submit();
        composing.focus();
      }}
    >
      <Suggestions suggesting={suggesting} listId={listId} absent={absentWords(composing)} />
      <div class="composer-card">
        <ReplyBar composing={composing} />
        <DraftAttachments composing={composing} />
        <ComposerField
          composing={composing}
          suggesting={suggesting}
          label={`Message ${props.label}`}
          placeholder={placeholderFor(composing, props.label, isNarrow())}
          listId={listId}
          notesId={notesId}
        />
        <QuestionEditor composing={composing} />
        <ComposerHints composing={composing} id={notesId} />
        <ComposerToolbar composing={composing} />
      </div>
      <DropZone label={props.label} within={() => form} onFiles={(files) => composing.addFiles(files)} />
      <Show when={composing.isHelpOpen()}>
        <CommandHelp onClose={() => composing.setHelpOpen(false)} />
      </Show>
    </form>
  );
}

/** Takes the focus when another part of the page gives it, and when a conversation is opened. */
function takeFocus(composing: ComposerState, opener: Element | null): void {
  createEffect(() => onCleanup(takesFocus('composer', composing.id(), () => composing.focus())));
  createEffect(
    on(composing.id, (_, previous) => {
      composing.rest();
      if (mayTakeFocus(previous === undefined ? opener : document.activeElement)) composing.focus();
    }),
  );
}

function placeholderFor(composing: ComposerState, label: string, isNarrow: boolean): string {
  if (isOffline(composing)) return OFFLINE;
  return isNarrow ? `Message ${label}` : `Message ${label}. @ mentions, / commands`;
}

function absentWords({ store, id }: ComposerState): string {
  const snapshot = store.snapshot();
  const isDm = snapshot && conversationOf(snapshot, id())?.type === 'dm';
  return isDm ? 'not in this dm' : 'not in this channel';
}

/** The message composer: a text field that grows with its text, and one draft per conversation. */
import { createEffect, createUniqueId, on, onCleanup, Show, Suspense } from 'solid-js';
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
  const composer = new ComposerState(store, () => props.conversationId);
  const suggesting = createSuggestionState(composer);
  const listId = newListId();
  const notesId = createUniqueId();
  let form: HTMLFormElement | undefined;
  const isNarrow = createNarrow(() => form);
  takeFocus(composer, props.opener);
  return (
    <form
      class="composer"
      aria-label={`Message ${props.label}`}
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        composer.submit();
        composer.focus();
      }}
    >
      <Suggestions suggesting={suggesting} listId={listId} absent={absentText(composer)} />
      <div class="composer-card">
        {/* The quoted message may have to be loaded: only this bar waits for it, not the whole composer. */}
        <Suspense>
          <ReplyBar composer={composer} />
        </Suspense>
        <DraftAttachments composer={composer} />
        <ComposerField
          composer={composer}
          suggesting={suggesting}
          label={`Message ${props.label}`}
          placeholder={placeholderFor(composer, props.label, isNarrow())}
          listId={listId}
          notesId={notesId}
        />
        <QuestionEditor composer={composer} />
        <ComposerHints composer={composer} id={notesId} />
        <ComposerToolbar composer={composer} />
      </div>
      <DropZone label={props.label} within={() => form} onFiles={(files) => composer.addFiles(files)} />
      <Show when={composer.isHelpOpen()}>
        <CommandHelp onClose={() => composer.setHelpOpen(false)} />
      </Show>
    </form>
  );
}

/** Takes the focus when another part of the page gives it, and when a conversation is opened. */
function takeFocus(composer: ComposerState, opener: Element | null): void {
  createEffect(() => onCleanup(takesFocus('composer', composer.id(), () => composer.focus())));
  createEffect(
    on(composer.id, (_, previous) => {
      composer.rest();
      if (mayTakeFocus(previous === undefined ? opener : document.activeElement)) composer.focus();
    }),
  );
}

function placeholderFor(composer: ComposerState, label: string, isNarrow: boolean): string {
  if (isOffline(composer)) return OFFLINE;
  return isNarrow ? `Message ${label}` : `Message ${label}. @ mentions, / commands`;
}

function absentText({ store, id }: ComposerState): string {
  const snapshot = store.snapshot();
  const isDm = snapshot && conversationOf(snapshot, id())?.type === 'dm';
  return isDm ? 'not in this direct message' : 'not in this channel';
}

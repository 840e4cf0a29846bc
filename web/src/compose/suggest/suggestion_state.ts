/** State of the suggestion list: its items, the active one, and picking. */
import { type Accessor, createEffect, createMemo, createSignal, on } from 'solid-js';
import { announce } from '../../platform/announce';
import { readersOf } from '../../state/selectors';
import { commandsFor } from '../command/commands';
import { commandConversationOf } from '../command/run_command';
import type { ComposerState } from '../composer_state';
import {
  type Completion,
  completionAt,
  insertion,
  type MentionCandidates,
  type Suggestion,
  suggestCommands,
  suggestMembers,
} from './completion';

export interface SuggestionState {
  readonly list: Accessor<readonly Suggestion[]>;
  readonly isOpen: Accessor<boolean>;
  readonly marked: Accessor<number>;
  /** The typed text is a whole command: Enter runs it instead of picking. */
  readonly isWholeCommand: Accessor<boolean>;
  mark(index: number): void;
  step(by: 1 | -1): void;
  pick(index: number): void;
  close(): void;
}

const NONE: readonly Suggestion[] = [];

export function createSuggestionState(composer: ComposerState): SuggestionState {
  const [marked, mark] = createSignal(0);
  const [closed, setClosed] = createSignal<Completion>();
  const completion = createMemo(() => {
    const now = composer.typedIn() === composer.id() ? completionAt(composer.text(), composer.caret()) : undefined;
    return now && !isSame(now, closed()) ? now : undefined;
  });
  const candidates = createMemo(() => mentionCandidatesOf(composer));
  const list = createMemo(() => {
    const now = completion();
    if (!now) return NONE;
    if (now.kind === 'mention') return suggestMembers(now.query, candidates());
    return suggestCommands(now.query, commandsFor(commandConversationOf(composer.store, composer.id())));
  });
  createEffect(on(completion, () => mark(0)));
  createEffect(
    on(
      () => list().length,
      (count) => count > 0 && announce(suggestionCountText(count)),
      { defer: true },
    ),
  );
  const isWholeCommand = () => {
    const only = list()[marked()];
    return only?.type === 'command' && only.command.takes === 'nothing' && composer.text().trim() === only.inserts;
  };
  return {
    list,
    isOpen: () => list().length > 0,
    marked,
    isWholeCommand,
    mark,
    step: (by) => mark((now) => (now + by + list().length) % list().length),
    close: () => setClosed(completion()),
    pick: (index) => {
      const now = completion();
      const suggestion = list()[index];
      if (!now || !suggestion) return;
      const text = insertion(composer.text(), now, suggestion);
      // A picked name that starts another name must not reopen the list.
      setClosed({ ...now, query: text.replace(/^@/, '') });
      composer.replace(now.start, now.end, text);
    },
  };
}

/** Whether this is the list that was closed: same position, and nothing was deleted since. */
function isSame(now: Completion, closed: Completion | undefined): boolean {
  return closed !== undefined && now.start === closed.start && now.query.startsWith(closed.query);
}

function suggestionCountText(count: number): string {
  return count === 1 ? '1 suggestion' : `${count} suggestions`;
}

export function mentionCandidatesOf({ store, id }: ComposerState): MentionCandidates {
  const snapshot = store.snapshot();
  return {
    members: [...store.members().values()],
    readers: new Set(snapshot ? readersOf(snapshot, id()) : []),
    presence: store.presence(),
    self: snapshot?.reader,
  };
}

/** "Needs you": open questions to the reader in all projects, first to expire first. */
import { createMemo, For, Match, onCleanup, Show, Switch } from 'solid-js';
import type { OpenQuestion } from '../../api/model';
import { QuestionCard } from '../../message/question/QuestionCard';
import { EmptyState } from '../../parts/EmptyState';
import { Skeleton } from '../../parts/loading/Skeleton';
import { takesFocus } from '../../platform/focus';
import { hrefOf } from '../../platform/routes';
import { onShortcut } from '../../platform/shortcuts';
import { useStore } from '../../state/store_context';
import { plainText } from '../../text/markdown/plain_text';
import { ViewBar } from '../ViewBar';
import './NeedsYouView.css';

/** Longer questions are cut; the rest is in the conversation. */
const BODY_CHARS_MAX = 600;

export function NeedsYouView() {
  const store = useStore();
  const questions = () => store.questions();
  const ids = createMemo(() => questions().items.map((one) => one.message.id), undefined, { equals: areSame });
  let list: HTMLOListElement | undefined;
  const cards = () => [...(list?.querySelectorAll<HTMLElement>('.board-card') ?? [])];
  answerKeys(cards);
  onCleanup(takesFocus('messages', 'needs-you', () => cards()[0]?.focus()));
  return (
    <main class="view needs-you-view">
      <ViewBar title="Needs you" />
      <div class="view-body">
        <div class="view-column">
          <p class="unseen" role="status">
            {countText(ids().length, questions().hasMore)}
          </p>
          <Show when={ids().length > 0} fallback={<NoQuestions />}>
            <ol class="board" aria-label="Open questions" ref={list}>
              <For each={ids()}>{(id, index) => <QuestionRow id={id} onDone={() => focusSoon(cards, index())} />}</For>
            </ol>
            <Show when={questions().hasMore}>
              <button type="button" class="button board-more" onClick={() => void store.commands.loadMoreQuestions()}>
                Show more
              </button>
            </Show>
          </Show>
        </div>
      </div>
    </main>
  );
}

function QuestionRow(props: { id: string; onDone(): void }) {
  const store = useStore();
  const found = createMemo(() => store.questions().items.find((one) => one.message.id === props.id));
  return (
    <li>
      <Show when={found()}>
        {(one) => (
          <article
            class="board-card"
            data-id={props.id}
            tabindex="-1"
            aria-label={`${one().message.from.name}: ${plainText(one().message.body, 80)}`}
          >
            <Show when={one().message.question}>
              {(question) => (
                <QuestionCard
                  message={one().message}
                  question={question()}
                  blocks={one().blocks}
                  location={<QuestionLocation one={one()} />}
                  onDone={() => props.onDone()}
                >
                  <p class="board-body">{plainText(one().message.body, BODY_CHARS_MAX)}</p>
                </QuestionCard>
              )}
            </Show>
          </article>
        )}
      </Show>
    </li>
  );
}

/** Link to the conversation of a question. */
function QuestionLocation(props: { one: OpenQuestion }) {
  const to = () => {
    const { project_id: projectId, to: conversationId, id: messageId } = props.one.message;
    return { view: 'conversation' as const, projectId, conversationId, messageId };
  };
  const name = () => (props.one.channel_name ? `#${props.one.channel_name}` : 'a direct message');
  return (
    <a class="board-place" href={hrefOf(to())}>
      {props.one.project_name} · {name()}
    </a>
  );
}

function NoQuestions() {
  const store = useStore();
  const failed = () => {
    const { state, refusal } = store.questions();
    return state === 'failed' ? refusal : undefined;
  };
  return (
    <Switch
      fallback={
        <EmptyState icon="question">
          No open questions. Questions to you, from all your projects, appear here until they are answered.
        </EmptyState>
      }
    >
      <Match when={store.questions().state === 'loading'}>
        <Skeleton label="Loading questions" lines={6} />
      </Match>
      <Match when={failed()}>
        {(refusal) => (
          <EmptyState icon="warning" action={{ label: 'Try again', run: () => void store.commands.loadQuestions() }}>
            {refusal().message} ({refusal().code})
          </EmptyState>
        )}
      </Match>
    </Switch>
  );
}

/** `J` and `K` move between cards; `R`, `E` and `I` press the buttons of the focused one. */
function answerKeys(cards: () => readonly HTMLElement[]): void {
  const current = () => cards().findIndex((card) => card.contains(document.activeElement));
  const step = (by: 1 | -1) => () => {
    const all = cards();
    const next = all[current() < 0 ? 0 : current() + by];
    next?.focus();
    next?.scrollIntoView({ block: 'nearest' });
  };
  const press = (selector: string) => () =>
    (cards()[current()] ?? cards()[0])?.querySelector<HTMLElement>(selector)?.click();
  const ends = [
    onShortcut('next-message', step(1)),
    onShortcut('previous-message', step(-1)),
    onShortcut('reply', press('.question-reply')),
    onShortcut('edit', press('.question-edit')),
    onShortcut('ignore', press('.question-ignore')),
  ];
  onCleanup(() => {
    for (const end of ends) end();
  });
}

/** Focuses the card that took the place of the removed one, or the last. */
function focusSoon(cards: () => readonly HTMLElement[], index: number): void {
  requestAnimationFrame(() => {
    const all = cards();
    (all[index] ?? all.at(-1))?.focus();
  });
}

function countText(count: number, hasMore: boolean): string {
  if (count === 0) return '';
  const words = count === 1 ? '1 open question' : `${count} open questions`;
  return hasMore ? `${words}, and more` : words;
}

function areSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id, index) => id === other[index]);
}

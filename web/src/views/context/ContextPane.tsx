/** What the model of an agent would see now, at which cost and why, and what it would not. */
import { createMemo, createSignal, Match, Show, Switch } from 'solid-js';
import type { AskContext, ContextFormat, Pack } from '../../api/context_model';
import type { Agent, Message } from '../../api/model';
import { EmptyState } from '../../parts/EmptyState';
import { Skeleton } from '../../parts/Skeleton';
import { route } from '../../platform/router';
import { PaneHead } from '../../shell/PaneHead';
import { useStore } from '../../state/context';
import type { Store, Timeline } from '../../state/contract';
import { readersOf, titleOf } from '../../state/select';
import { excerpt } from '../run_words';
import { createAsking } from './asking';
import { ContextWish } from './ContextWish';
import { countingWords } from './context_words';
import { ReceiptView, WholeText } from './ReceiptView';
import { TokenBar } from './TokenBar';
import '../DetailsPane.css';
import './context.css';

export function ContextPane(props: { agentId: string; onClose(): void }) {
  const store = useStore();
  const agent = createMemo(() => {
    const member = store.members().get(props.agentId);
    return member?.type === 'agent' ? member.agent : undefined;
  });
  return (
    <section class="context-pane" aria-label="Context">
      <PaneHead onClose={props.onClose}>
        <h2>What {agent()?.name ?? 'the agent'} would see</h2>
      </PaneHead>
      <div class="details-body">
        <Switch>
          <Match when={agent()?.id} keyed>
            <Show when={agent()}>{(one) => <OneAgent agent={one()} />}</Show>
          </Match>
          <Match when={store.snapshot()}>
            <EmptyState icon="spark">No such agent in this project. It may have left.</EmptyState>
          </Match>
        </Switch>
      </div>
    </section>
  );
}

function OneAgent(props: { agent: Agent }) {
  const store = useStore();
  const [budget, setBudget] = createSignal<number>();
  const [model, setModel] = createSignal('');
  const [format, setFormat] = createSignal<ContextFormat>('pack');
  const place = usePlace(store, () => props.agent.id);
  const wish = createMemo<AskContext | undefined>(
    () => {
      const here = place();
      if (here === 'unknown') return undefined;
      return {
        format: format(),
        ...given('budget', budget()),
        ...given('model', model().trim() || undefined),
        ...(here?.isRead ? { conversation_id: here.conversationId, ...given('message_id', here.message?.id) } : {}),
      };
    },
    undefined,
    { equals: (one, other) => JSON.stringify(one) === JSON.stringify(other) },
  );
  const asking = createAsking(wish, (ask) => store.commands.loadContext(props.agent.id, ask));
  return (
    <>
      <Aim place={place()} />
      <ContextWish
        agent={props.agent}
        budget={budget() ?? asking.answer()?.receipt.budget}
        isOwnBudget={budget() === undefined}
        onBudget={setBudget}
        model={model()}
        onModel={setModel}
        format={format()}
        onFormat={setFormat}
      />
      <Switch fallback={<Skeleton label="Loading what it would see" lines={8} />}>
        <Match when={asking.refusal()}>
          {(why) => (
            <EmptyState icon="warning" action={{ label: 'Try again', run: asking.again }}>
              {why().message} ({why().code})
            </EmptyState>
          )}
        </Match>
        <Match when={asking.answer()}>{(pack) => <Seen pack={pack()} isAsking={asking.isAsking()} />}</Match>
      </Switch>
    </>
  );
}

/** An answer stays in sight while another one comes, and says that it is not the last word. */
function Seen(props: { pack: Pack; isAsking: boolean }) {
  const isEmpty = () => !props.pack.receipt.items.some((item) => item.level);
  return (
    <div class="context-seen" aria-busy={props.isAsking}>
      <TokenBar receipt={props.pack.receipt} isLive />
      <p class="hint">
        {countingWords(props.pack.receipt.counting)} Only what you too may read is shown here: it may see more.
      </p>
      <Show when={isEmpty()}>
        <EmptyState icon="inbox">Nothing that you too may read would be shown to it.</EmptyState>
      </Show>
      <ReceiptView receipt={props.pack.receipt} headings={3} />
      <Show when={props.pack.text}>{(text) => <WholeText text={text()} receipt={props.pack.receipt} />}</Show>
    </div>
  );
}

interface Place {
  readonly conversationId: string;
  readonly title: string;
  /** Nobody can be asked to answer where they do not read. */
  readonly isRead: boolean;
  /** What it would be asked to answer. */
  readonly message?: Message;
}

/** In which conversation it would answer, and to what. */
function Aim(props: { place: Place | 'unknown' | undefined }) {
  const place = () => (props.place === 'unknown' ? undefined : props.place);
  const words = () => {
    const here = place();
    if (!here) return 'As if it began by itself, in no conversation.';
    if (!here.isRead) return `It does not read ${here.title}. As if it began by itself, in no conversation.`;
    const { message } = here;
    if (!message) return `As if it were to answer in ${here.title}.`;
    return `As if it were to answer ${message.from.name} in ${here.title}: “${excerpt(message.body, 80)}”`;
  };
  return <p class="hint context-aim">{words()}</p>;
}

/** The conversation that is open; `unknown` while nobody can say what is the newest in it. */
function usePlace(store: Store, agentId: () => string): () => Place | 'unknown' | undefined {
  const conversationId = createMemo(() => {
    const here = route();
    return here.view === 'conversation' ? here.conversationId : undefined;
  });
  const timeline = createMemo(() => {
    const id = conversationId();
    return id ? store.timeline(id) : undefined;
  });
  return createMemo(() => {
    const [id, messages, snapshot] = [conversationId(), timeline(), store.snapshot()];
    if (!id || !messages) return undefined;
    if (!snapshot || (messages.loading() && !messages.failed())) return 'unknown';
    return {
      conversationId: id,
      title: titleOf(snapshot, id),
      isRead: readersOf(snapshot, id).includes(agentId()),
      ...given('message', newestFor(messages, agentId())),
    };
  });
}

/** The newest message that an agent could be asked to answer: nobody answers themselves, or what is not finished. */
function newestFor(timeline: Timeline, agentId: string): Message | undefined {
  if (timeline.newer() !== 'reached') return undefined;
  const isFor = (message: Message) =>
    message.state === 'complete' &&
    !message.removed_at &&
    message.from.id !== agentId &&
    message.from.type !== 'host' &&
    message.from.type !== 'system';
  const id = timeline.ids().findLast((one) => {
    const message = timeline.message(one);
    return message !== undefined && isFor(message);
  });
  return id === undefined ? undefined : timeline.message(id);
}

/** A field of an object, if there is a value for it. */
function given<Key extends string, Value>(key: Key, value: Value | undefined): { [key in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [key in Key]?: Value });
}

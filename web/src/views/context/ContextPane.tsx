/** What the model of an agent would see now, at which cost and why, and what it would not. */
import { createMemo, createSignal, Match, Show, Switch } from 'solid-js';
import type { AskContext, ContextFormat, Pack } from '../../api/context_model';
import type { Agent } from '../../api/model';
import { EmptyState } from '../../parts/EmptyState';
import { later } from '../../parts/later';
import { Skeleton } from '../../parts/Skeleton';
import { go, route } from '../../platform/router';
import { PaneHead } from '../../shell/PaneHead';
import { useStore } from '../../state/context';
import { createAsking } from './asking';
import { ContextWish } from './ContextWish';
import { type ContextAim, contextAim, contextRoute } from './context_route';
import { countingWords } from './context_words';
import { aimWords, usePlace } from './place';
import { ReceiptView, WholeText } from './ReceiptView';
import { Refused } from './Refused';
import { TokenBar } from './TokenBar';
import '../DetailsPane.css';
import './context.css';

export function ContextPane(props: {
  /** Of the agent, or of the agent and a thread. */
  paneId: string;
  onClose(): void;
}) {
  const store = useStore();
  const aim = createMemo(() => contextAim(props.paneId));
  const agent = createMemo(() => {
    const member = store.members().get(aim().agentId);
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
            <Show when={agent()}>{(one) => <OneAgent agent={one()} aim={aim()} />}</Show>
          </Match>
          <Match when={store.snapshot()}>
            <EmptyState icon="spark">No such agent in this project. It may have left.</EmptyState>
          </Match>
        </Switch>
      </div>
    </section>
  );
}

function OneAgent(props: { agent: Agent; aim: ContextAim }) {
  const store = useStore();
  const [budget, setBudget] = createSignal<number>();
  const [model, setModel] = createSignal('');
  const [format, setFormat] = createSignal<ContextFormat>('pack');
  const place = usePlace(store, () => props.aim);
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
  const asking = createAsking(wish, (ask, stop) => store.commands.loadContext(props.agent.id, ask, stop));
  return (
    <>
      <p class="hint context-aim">{aimWords(place())}</p>
      <ContextWish
        agent={props.agent}
        agents={store.snapshot()?.agents ?? []}
        onAgent={(agentId) => go(contextRoute(route(), { ...props.aim, agentId }), { replace: true })}
        budget={budget() ?? asking.answer()?.receipt.budget}
        isOwnBudget={budget() === undefined}
        onBudget={setBudget}
        model={model()}
        onModel={setModel}
        format={format()}
        onFormat={setFormat}
      />
      <Show when={asking.refusal()}>
        {(why) => (
          <Refused why={why()} kept={asking.answer()?.receipt.budget} onBudget={setBudget} onAgain={asking.again} />
        )}
      </Show>
      <Switch>
        <Match when={asking.answer()}>{(pack) => <Seen pack={pack()} isAsking={asking.isAsking()} />}</Match>
        <Match when={!asking.refusal()}>
          <Skeleton label="Loading what it would see" lines={8} />
        </Match>
      </Switch>
    </>
  );
}

/** An answer stays in sight while another one comes, and says that it is not the last word. */
function Seen(props: { pack: Pack; isAsking: boolean }) {
  const isEmpty = () => !props.pack.receipt.items.some((item) => item.level);
  return (
    <div class="context-seen" aria-busy={props.isAsking}>
      <TokenBar receipt={props.pack.receipt} isLive note={<Show when={props.isAsking}>{<Again />}</Show>} />
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

/** Not before it has taken a while: most answers come at once. */
function Again() {
  const isTime = later();
  return <Show when={isTime()}>asking again…</Show>;
}

/** A field of an object, if there is a value for it. */
function given<Key extends string, Value>(key: Key, value: Value | undefined): { [key in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [key in Key]?: Value });
}

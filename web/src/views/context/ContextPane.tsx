/** What the model of an agent would see now, at which cost and why, and what it would not. */
import { createMemo, Match, Show, Switch } from 'solid-js';
import type { Pack } from '../../api/context_model';
import type { Agent } from '../../api/model';
import { EmptyState } from '../../parts/EmptyState';
import { Skeleton } from '../../parts/Skeleton';
import { go, route } from '../../platform/router';
import { PaneHead } from '../../shell/pane/PaneHead';
import { useStore } from '../../state/store_context';
import { type ContextQuery, contextQuery, contextRoute } from './context_route';
import { countingText } from './context_text';
import { createPreviews, PreviewsProvider } from './receipt/previews';
import { ReceiptView, WholeText } from './receipt/ReceiptView';
import { TokenBar } from './receipt/TokenBar';
import { PackAge } from './request/PackAge';
import { ownModel, PackOptions } from './request/PackOptions';
import { PackRefusal } from './request/PackRefusal';
import { usualForm } from './request/pack_formats';
import { createPackRequest } from './request/pack_request';
import { QuerySummary } from './request/QuerySummary';
import { restoreFocus } from './request/restore_focus';
import '../details/DetailsPane.css';
import './context.css';

export function ContextPane(props: {
  /** Of the agent, where it would answer, and what was chosen. */
  paneId: string;
  onClose(): void;
}) {
  const store = useStore();
  const query = createMemo(() => contextQuery(props.paneId));
  const agent = createMemo(() => {
    const member = store.members().get(query().agentId);
    return member?.type === 'agent' ? member.agent : undefined;
  });
  return (
    <section class="context-pane" aria-label="Context">
      <PaneHead onClose={props.onClose}>
        <h2>What {agent()?.name ?? 'the agent'} would see</h2>
      </PaneHead>
      <div class="details-body">
        <Switch>
          {/* Another agent is shown in the same form: whoever chooses one keeps the keyboard there. */}
          <Match when={agent()}>{(one) => <OneAgent agent={one()} query={query()} />}</Match>
          <Match when={store.snapshot()}>
            <EmptyState icon="spark">No such agent in this project. It may have left.</EmptyState>
          </Match>
        </Switch>
      </div>
    </section>
  );
}

function OneAgent(props: { agent: Agent; query: ContextQuery }) {
  const store = useStore();
  let body: HTMLDivElement | undefined;
  let slider: HTMLInputElement | undefined;
  let askAgain: HTMLButtonElement | undefined;
  const usual = () => usualForm(props.agent);
  const previews = createPreviews(store.commands);
  const { asking, words } = createPackRequest(() => props.query, usual, previews.take);
  const change = (more: Partial<ContextQuery>) =>
    go(contextRoute(route(), { ...props.query, ...more }), { replace: true });
  /** What was pressed for it is gone then. */
  const setBudgetFromAfar = (budget: number | undefined) => {
    change({ budget });
    slider?.focus();
  };
  const kept = () => {
    const last = asking.answered();
    return last && { ...last.wish.ask, budget: last.answer.receipt.budget };
  };
  restoreFocus(
    () => body,
    () => askAgain,
    [asking.answered, asking.refusal],
  );
  return (
    <div class="context-body" ref={body}>
      <QuerySummary query={props.query} words={asking.answered()?.wish.words ?? words()} onQuery={change} />
      <PackOptions
        agent={props.agent}
        agents={store.snapshot()?.agents ?? []}
        onAgent={(agentId) => change({ agentId })}
        budget={props.query.budget ?? asking.answer()?.receipt.budget}
        isOwnBudget={props.query.budget === undefined}
        onBudget={(budget) => change({ budget })}
        onOwnBudget={() => setBudgetFromAfar(undefined)}
        sliderRef={(element) => {
          slider = element;
        }}
        model={props.query.model ?? ''}
        isModelRefused={asking.refusal()?.more.field === 'model'}
        onModel={(model) => change({ model })}
        format={props.query.format ?? usual()}
        onFormat={(format) => change({ format })}
      />
      <PackAge
        at={asking.answered()?.at}
        isAsking={asking.isAsking()}
        isOutdated={asking.isOutdated()}
        onAgain={asking.again}
        buttonRef={(element) => {
          askAgain = element;
        }}
      />
      <Show when={asking.refusal()}>
        {(why) => <PackRefusal why={why()} kept={kept()} onBudget={setBudgetFromAfar} onAgain={asking.again} />}
      </Show>
      <Switch>
        <Match when={asking.answer()}>
          {(pack) => (
            <PreviewsProvider value={previews}>
              <Seen
                pack={pack()}
                model={asking.answered()?.wish.ask.model ?? ownModel(props.agent)}
                isAsking={asking.isAsking()}
              />
            </PreviewsProvider>
          )}
        </Match>
        <Match when={!asking.refusal()}>
          <Skeleton label="Loading what it would see" lines={8} />
        </Match>
      </Switch>
    </div>
  );
}

/** An answer stays in sight while another one comes. */
function Seen(props: {
  pack: Pack;
  /** Whose tokens are counted, if it is known. */
  model: string | undefined;
  isAsking: boolean;
}) {
  const isEmpty = () => !props.pack.receipt.items.some((item) => item.level);
  return (
    <div class="context-seen" aria-busy={props.isAsking}>
      <TokenBar receipt={props.pack.receipt} isLive />
      <p class="hint">
        {countingText(props.pack.receipt.counting, { name: props.model })} Only what you too may read is shown here: it
        may see more.
      </p>
      <Show when={isEmpty()}>
        <EmptyState icon="inbox">Nothing that you too may read would be shown to it.</EmptyState>
      </Show>
      <ReceiptView receipt={props.pack.receipt} headings={3} />
      <Show when={props.pack.text}>
        {(text) => <WholeText text={text()} format={props.pack.format} receipt={props.pack.receipt} />}
      </Show>
    </div>
  );
}

/** The context pane: what an agent's model would get now, its token cost, and what is left out. */
import { createMemo, Match, Show, Switch } from 'solid-js';
import type { Pack } from '../../api/context_model';
import type { Agent } from '../../api/model';
import { EmptyState } from '../../parts/EmptyState';
import { Skeleton } from '../../parts/loading/Skeleton';
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
import { usualFormat } from './request/pack_formats';
import { createPackRequest } from './request/pack_request';
import { QuerySummary } from './request/QuerySummary';
import { restoreFocus } from './request/restore_focus';
import '../details/DetailsPane.css';
import './context.css';
import './ContextPane.css';

export function ContextPane(props: {
  /** The encoded query. */
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
    <section class="context-pane" aria-label="Context preview">
      <PaneHead onClose={props.onClose}>
        <h2>Context preview: {agent()?.name ?? 'agent'}</h2>
      </PaneHead>
      <div class="details-body">
        <Switch>
          {/* Another agent is shown in the same form, so the focus stays in its field. */}
          <Match when={agent()}>{(one) => <OneAgent agent={one()} query={query()} />}</Match>
          <Match when={store.snapshot()}>
            <EmptyState icon="spark">This agent is not in this project.</EmptyState>
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
  const usual = () => usualFormat(props.agent);
  const previews = createPreviews(store.commands);
  const { request, words } = createPackRequest(() => props.query, usual, previews.take);
  const change = (more: Partial<ContextQuery>) =>
    go(contextRoute(route(), { ...props.query, ...more }), { replace: true });
  /** The pressed button disappears, so the focus moves. */
  const setBudgetAndFocus = (budget: number | undefined) => {
    change({ budget });
    slider?.focus();
  };
  const kept = () => {
    const last = request.answered();
    return last && { ...last.input.ask, budget: last.answer.receipt.budget };
  };
  restoreFocus(
    () => body,
    () => askAgain,
    [request.answered, request.refusal],
  );
  return (
    <div class="context-body" ref={body}>
      <QuerySummary query={props.query} words={request.answered()?.input.words ?? words()} onQuery={change} />
      <PackOptions
        agent={props.agent}
        agents={store.snapshot()?.agents ?? []}
        onAgent={(agentId) => change({ agentId })}
        budget={props.query.budget ?? request.answer()?.receipt.budget}
        isOwnBudget={props.query.budget === undefined}
        onBudget={(budget) => change({ budget })}
        onOwnBudget={() => setBudgetAndFocus(undefined)}
        sliderRef={(element) => {
          slider = element;
        }}
        model={props.query.model ?? ''}
        isModelRefused={request.refusal()?.more.field === 'model'}
        onModel={(model) => change({ model })}
        format={props.query.format ?? usual()}
        onFormat={(format) => change({ format })}
      />
      <PackAge
        at={request.answered()?.at}
        isAsking={request.isAsking()}
        isOutdated={request.isOutdated()}
        onAgain={request.again}
        buttonRef={(element) => {
          askAgain = element;
        }}
      />
      <Show when={request.refusal()}>
        {(why) => <PackRefusal why={why()} kept={kept()} onBudget={setBudgetAndFocus} onAgain={request.again} />}
      </Show>
      <Switch>
        <Match when={request.answer()}>
          {(pack) => (
            <PreviewsProvider value={previews}>
              <PreviewResult
                pack={pack()}
                model={request.answered()?.input.ask.model ?? ownModel(props.agent)}
                isAsking={request.isAsking()}
              />
            </PreviewsProvider>
          )}
        </Match>
        <Match when={!request.refusal()}>
          <Skeleton label="Loading the context preview" lines={8} />
        </Match>
      </Switch>
    </div>
  );
}

/** The last result stays visible while the next one loads. */
function PreviewResult(props: {
  pack: Pack;
  /** The model whose tokens are counted. */
  model: string | undefined;
  isAsking: boolean;
}) {
  const isEmpty = () => !props.pack.receipt.items.some((item) => item.level);
  return (
    <div class="context-seen" aria-busy={props.isAsking}>
      <TokenBar receipt={props.pack.receipt} isLive />
      <p class="hint">
        {countingText(props.pack.receipt.counting, { name: props.model })} Only items that you can read are listed. The
        agent may get more.
      </p>
      <Show when={isEmpty()}>
        <EmptyState icon="inbox">The context has no item that you can read.</EmptyState>
      </Show>
      <ReceiptView receipt={props.pack.receipt} headings={3} />
      <Show when={props.pack.text}>
        {(text) => <WholeText text={text()} format={props.pack.format} receipt={props.pack.receipt} />}
      </Show>
    </div>
  );
}

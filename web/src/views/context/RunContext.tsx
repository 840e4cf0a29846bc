/** The contexts of a run, one per injection, and a comparison with another run. */

import { createMemo, createSignal, For, Show } from 'solid-js';
import type { Injection } from '../../api/context_model';
import type { Run } from '../../api/model';
import { deliveryPathText } from '../../message/ledger/ledger_text';
import { DateTime } from '../../parts/time/Time';
import { useStore } from '../../state/store_context';
import { capitalize } from '../../text/wording';
import { ListEnd } from '../ListEnd';
import { createPagedList } from '../paged_list';
import { CompareRuns } from './CompareRuns';
import { countingText, usedText } from './context_text';
import { createPreviews, PreviewsProvider } from './receipt/previews';
import { ReceiptView, WholeText } from './receipt/ReceiptView';
import { TokenBar, TokenLegend } from './receipt/TokenBar';
import './context.css';
import './RunContext.css';

export function RunContext(props: { run: Run }) {
  const store = useStore();
  const list = createPagedList<Injection>({
    of: () => props.run.id,
    ask: (cursor) => store.commands.loadInjections(props.run.id, cursor),
    keyOf: (injection) => injection.id,
    changed: createMemo(() => props.run.updated_at),
  });
  const previews = createPreviews(store.commands);
  const items = () => list.pages().items;
  return (
    <section class="run-section" aria-labelledby="run-saw">
      <h3 id="run-saw">Context given to the model</h3>
      <Show when={items().length > 0}>
        <PreviewsProvider value={previews}>
          <ul class="injections" aria-label="Injections">
            <For each={items()}>{(injection) => <InjectionLine injection={injection} />}</For>
          </ul>
        </PreviewsProvider>
      </Show>
      <Show when={items().length === 0 && list.pages().state === 'done'}>
        <p class="hint">The hub has stored no context for this run.</p>
      </Show>
      <ListEnd pages={list.pages()} onMore={list.more} />
      <Show when={items().length > 0}>
        <CompareRuns run={props.run} />
      </Show>
    </section>
  );
}

function InjectionLine(props: { injection: Injection }) {
  const [isOpen, setOpen] = createSignal(false);
  return (
    <li>
      <details class="injection" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span class="injection-head">
            <b>{capitalize(deliveryPathText(props.injection.delivered_via))}</b>
            <DateTime at={props.injection.at} />
            <span>{usedText(props.injection.receipt)}</span>
          </span>
          <TokenBar receipt={props.injection.receipt} isSmall />
        </summary>
        {/* Created when it is opened: it can be long. */}
        <Show when={isOpen()}>
          <div class="context-seen">
            <TokenLegend receipt={props.injection.receipt} />
            <p class="hint">{countingText(props.injection.receipt.counting)}</p>
            <ReceiptView receipt={props.injection.receipt} headings={4} />
            <Show
              when={props.injection.text}
              fallback={
                <p class="hint">
                  The text is hidden: it contains a message that you cannot read, or that was edited or deleted since.
                </p>
              }
            >
              {(text) => <WholeText text={text()} format={props.injection.format} receipt={props.injection.receipt} />}
            </Show>
          </div>
        </Show>
      </details>
    </li>
  );
}

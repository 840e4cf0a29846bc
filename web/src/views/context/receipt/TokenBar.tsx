/** What tokens are spent on: a bar in proportion, and the same in words and numbers. */
import { For, Show } from 'solid-js';
import type { Receipt } from '../../../api/context_model';
import { barText, countText, segmentsOf, usedText } from '../context_text';

export function TokenBar(props: {
  receipt: Receipt;
  /** Only the bar, for a line of a list; whoever cannot see it hears it all the same. */
  isSmall?: boolean;
  /** It changes while somebody looks, who may not see it. */
  isLive?: boolean;
}) {
  const segments = () => segmentsOf(props.receipt);
  const rest = () => {
    const spent = segments().reduce((sum, { tokens }) => sum + tokens, 0);
    return Math.max(props.receipt.budget - spent, 0);
  };
  return (
    <div class="token-bar" data-small={props.isSmall ? '' : undefined}>
      <Show when={!props.isSmall}>
        <p class="token-bar-used">
          <span role={props.isLive ? 'status' : undefined}>{usedText(props.receipt)}</span>
        </p>
      </Show>
      <div class="token-bar-track" role="img" aria-label={barText(props.receipt)}>
        <For each={segments()}>
          {({ tone, tokens }) => <span class="token-part" data-tone={tone} style={{ 'flex-grow': tokens }} />}
        </For>
        <span style={{ 'flex-grow': rest() }} />
      </div>
      <Show when={!props.isSmall}>
        <TokenLegend receipt={props.receipt} />
      </Show>
    </div>
  );
}

/** What the colours of a bar stand for, with the numbers. */
export function TokenLegend(props: { receipt: Receipt }) {
  return (
    <ul class="token-bar-legend" aria-label="Tokens by section">
      <For each={segmentsOf(props.receipt)}>
        {({ tone, name, tokens }) => (
          <li>
            <span class="token-part" data-tone={tone} />
            {name} <b>{countText(tokens)}</b>
          </li>
        )}
      </For>
    </ul>
  );
}

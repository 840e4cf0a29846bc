/** The token bar: a proportional bar with text and numbers. */
import { For, Show } from 'solid-js';
import type { Receipt } from '../../../api/context_model';
import { barText, countText, segmentsOf, usedText } from '../context_text';
import './TokenBar.css';

export function TokenBar(props: {
  receipt: Receipt;
  /** Only the bar, with an accessible text. */
  isSmall?: boolean;
  /** Announces changes to screen readers. */
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

/** The legend of a bar with numbers. */
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

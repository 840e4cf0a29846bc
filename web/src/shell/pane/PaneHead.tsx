/** The header of a pane with its close button. */
import type { JSX } from 'solid-js';
import { Icon } from '../../parts/Icon';

export function PaneHead(props: { children: JSX.Element; onClose(): void }) {
  return (
    <header class="pane-head">
      <button
        type="button"
        class="icon-button pane-back"
        aria-label="Back to the conversation"
        onClick={() => props.onClose()}
      >
        <Icon name="back" />
      </button>
      <div class="pane-title">{props.children}</div>
      <button type="button" class="icon-button pane-close" aria-label="Close the pane" onClick={() => props.onClose()}>
        <Icon name="close" />
      </button>
    </header>
  );
}

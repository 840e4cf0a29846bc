/** An empty list: one sentence and the next step. */
import { type JSX, Show } from 'solid-js';
import { Icon, type IconName } from './Icon';
import './EmptyState.css';

export function EmptyState(props: {
  icon: IconName;
  children: JSX.Element;
  action?: { readonly label: string; run(): void };
}) {
  return (
    <div class="empty-state">
      <span class="empty-mark">
        <Icon name={props.icon} size={22} />
      </span>
      <p>{props.children}</p>
      <Show when={props.action}>
        {(action) => (
          <button type="button" class="button" onClick={() => action().run()}>
            {action().label}
          </button>
        )}
      </Show>
    </div>
  );
}

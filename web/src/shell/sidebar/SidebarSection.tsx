/** A collapsible list of the sidebar. Collapsed, it still shows current and unread rows. */
import { createUniqueId, For, type JSX, Show } from 'solid-js';
import { Icon } from '../../parts/Icon';
import { isFolded, toggleFolded } from './folded_sections';
import './SidebarSection.css';

export function SidebarSection<T>(props: {
  id: string;
  title: string;
  items: readonly T[];
  /** Stays visible when the section is collapsed. */
  stays?(item: T): boolean;
  add?: { readonly label: string; run(): void };
  /** Shown when the list is empty. */
  empty?: JSX.Element;
  foot?: JSX.Element;
  children(item: T): JSX.Element;
}) {
  const titleId = createUniqueId();
  const shown = () => (isFolded(props.id) ? props.items.filter((item) => props.stays?.(item)) : props.items);
  return (
    <div class="sidebar-section">
      <div class="section-head">
        <h2 class="section-title">
          <button type="button" id={titleId} aria-expanded={!isFolded(props.id)} onClick={() => toggleFolded(props.id)}>
            {props.title}
            <Icon name="chevron" size={12} />
          </button>
        </h2>
        <Show when={props.add}>
          {(add) => (
            <button
              type="button"
              class="section-add"
              aria-label={add().label}
              title={add().label}
              onClick={() => add().run()}
            >
              <Icon name="plus" size={16} />
            </button>
          )}
        </Show>
      </div>
      <Show when={shown().length > 0}>
        <ul class="section-rows" aria-labelledby={titleId}>
          <For each={shown()}>{(item) => <li class="row">{props.children(item)}</li>}</For>
        </ul>
      </Show>
      <Show when={!isFolded(props.id)}>
        <Show when={props.items.length === 0}>{props.empty}</Show>
        {props.foot}
      </Show>
    </div>
  );
}

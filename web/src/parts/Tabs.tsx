/** Tabs: one tab stop, arrow keys between tabs. The list and its panels may be apart; `name` connects them. */
import { For, type JSX, Show } from 'solid-js';
import './Tabs.css';

export interface Tab<Id extends string = string> {
  readonly id: Id;
  readonly label: string;
  readonly count?: number;
}

export function TabList<Id extends string>(props: {
  name: string;
  label: string;
  tabs: readonly Tab<Id>[];
  selected: Id;
  onSelect(id: Id): void;
}) {
  let list: HTMLDivElement | undefined;
  const onKeyDown = (event: KeyboardEvent) => {
    const target = targetOf(
      event.key,
      props.tabs.findIndex((tab) => tab.id === props.selected),
      props.tabs.length,
    );
    const tab = target === undefined ? undefined : props.tabs[target];
    if (!tab) return;
    event.preventDefault();
    props.onSelect(tab.id);
    list?.querySelector<HTMLElement>(`#${tabId(props.name, tab.id)}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={props.label} ref={list}>
      <For each={props.tabs}>
        {(tab) => (
          <button
            type="button"
            class="tab"
            role="tab"
            id={tabId(props.name, tab.id)}
            aria-selected={tab.id === props.selected}
            aria-controls={tab.id === props.selected ? panelId(props.name, tab.id) : undefined}
            tabindex={tab.id === props.selected ? 0 : -1}
            onClick={() => props.onSelect(tab.id)}
            onKeyDown={onKeyDown}
          >
            {tab.label}
            <Show when={tab.count}>{(count) => <span class="badge">{count()}</span>}</Show>
          </button>
        )}
      </For>
    </div>
  );
}

export function TabPanel(props: { name: string; tab: string; children: JSX.Element; class?: string }) {
  return (
    <div
      class={props.class}
      role="tabpanel"
      id={panelId(props.name, props.tab)}
      aria-labelledby={tabId(props.name, props.tab)}
    >
      {props.children}
    </div>
  );
}

function targetOf(key: string, at: number, count: number): number | undefined {
  const targets: Record<string, number> = {
    ArrowRight: (at + 1) % count,
    ArrowLeft: (at - 1 + count) % count,
    Home: 0,
    End: count - 1,
  };
  return targets[key];
}

const tabId = (name: string, id: string) => `${name}-tab-${id}`;
const panelId = (name: string, id: string) => `${name}-panel-${id}`;

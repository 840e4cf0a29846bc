import { Match, Show, Switch } from 'solid-js';
import { Icon, type IconName } from '../Icon';

interface EntryText {
  readonly label: string;
  readonly detail?: string;
}

type Item = EntryText & { type?: 'item'; icon?: IconName; isDanger?: boolean; isOff?: boolean; run(): void };
type Link = EntryText & { type: 'link'; icon?: IconName; href: string; isExternal?: boolean };
/** `radio`: one of several between two separators. */
type Choice = EntryText & { type: 'radio' | 'check'; isOn: boolean; run(): void };

export type MenuEntry = Item | Link | Choice | { type: 'line' } | { type: 'title'; label: string };

export function Entry(props: { entry: MenuEntry; onPick(run: () => void): void }) {
  const as = <T extends MenuEntry>(...types: readonly T['type'][]) =>
    types.includes(props.entry.type) ? (props.entry as T) : undefined;
  return (
    <Switch fallback={<hr class="menu-line" />}>
      <Match when={as<Item>('item', undefined)}>{(item) => <ItemLine item={item()} onPick={props.onPick} />}</Match>
      <Match when={as<Choice>('radio', 'check')}>
        {(choice) => <ChoiceLine choice={choice()} onPick={props.onPick} />}
      </Match>
      <Match when={as<Link>('link')}>{(link) => <LinkLine link={link()} onPick={props.onPick} />}</Match>
      <Match when={as<Extract<MenuEntry, { type: 'title' }>>('title')}>
        {(title) => <div class="menu-title">{title().label}</div>}
      </Match>
    </Switch>
  );
}

function ItemLine(props: { item: Item; onPick(run: () => void): void }) {
  return (
    <button
      type="button"
      class="menu-entry"
      role="menuitem"
      data-kind={props.item.isDanger ? 'danger' : undefined}
      disabled={props.item.isOff}
      tabindex="-1"
      onPointerMove={takeFocus}
      onClick={() => props.onPick(props.item.run)}
    >
      <Show when={props.item.icon}>{(name) => <Mark name={name()} />}</Show>
      <Label words={props.item} />
    </button>
  );
}

function ChoiceLine(props: { choice: Choice; onPick(run: () => void): void }) {
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles support it; the rule sees no conditional role.
    <button
      type="button"
      class="menu-entry"
      role={props.choice.type === 'radio' ? 'menuitemradio' : 'menuitemcheckbox'}
      aria-checked={props.choice.isOn}
      tabindex="-1"
      onPointerMove={takeFocus}
      onClick={() => props.onPick(props.choice.run)}
    >
      <Mark name={props.choice.isOn ? 'check' : undefined} />
      <Label words={props.choice} />
    </button>
  );
}

function LinkLine(props: { link: Link; onPick(run: () => void): void }) {
  return (
    <a
      class="menu-entry"
      role="menuitem"
      tabindex="-1"
      href={props.link.href}
      target={props.link.isExternal ? '_blank' : undefined}
      rel={props.link.isExternal ? 'noopener noreferrer' : undefined}
      onPointerMove={takeFocus}
      onClick={() => props.onPick(() => {})}
    >
      <Show when={props.link.icon}>{(name) => <Mark name={name()} />}</Show>
      <Label words={props.link} />
    </a>
  );
}

function Mark(props: { name: IconName | undefined }) {
  return (
    <span class="menu-icon">
      <Show when={props.name}>{(name) => <Icon name={name()} size={16} />}</Show>
    </span>
  );
}

function Label(props: { words: EntryText }) {
  return (
    <>
      <span class="menu-label">{props.words.label}</span>
      <Show when={props.words.detail}>{(detail) => <span class="menu-detail">{detail()}</span>}</Show>
    </>
  );
}

/** The pointer moves the focus, so only one entry is highlighted. */
function takeFocus(event: PointerEvent & { currentTarget: HTMLElement }): void {
  if (event.pointerType === 'mouse') event.currentTarget.focus();
}

import { Match, Show, Switch } from 'solid-js';
import { Avatar } from '../parts/Avatar';
import { Icon } from '../parts/Icon';
import { KeyCaps } from '../parts/KeyCaps';
import type { PaletteEntry } from './palette_sections';

export function PaletteRow(props: {
  entry: PaletteEntry;
  id: string;
  isActive: boolean;
  onHover(): void;
  onPick(): void;
}) {
  return (
    <button
      type="button"
      class="palette-row"
      role="option"
      tabIndex={-1}
      id={props.id}
      aria-selected={props.isActive}
      // Scrolling under a resting pointer must not change the selection.
      onPointerMove={() => props.onHover()}
      // The field keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => props.onPick()}
    >
      <span class="palette-mark">
        <Mark mark={props.entry.mark} />
      </span>
      <span class="palette-label">{props.entry.label}</span>
      <Show when={props.entry.detail}>{(detail) => <span class="palette-detail">{detail()}</span>}</Show>
      <Show when={props.entry.unread}>
        {(unread) => (
          <span class="badge">
            {unread()}
            <span class="unseen"> unread</span>
          </span>
        )}
      </Show>
      <Show when={props.entry.keys}>{(keys) => <KeyCaps keys={keys()} />}</Show>
    </button>
  );
}

function Mark(props: { mark: PaletteEntry['mark'] }) {
  const icon = () => (props.mark.type === 'icon' ? props.mark : undefined);
  const member = () => (props.mark.type === 'member' ? props.mark : undefined);
  return (
    <Switch>
      <Match when={icon()}>{(mark) => <Icon name={mark().name} size={16} />}</Match>
      <Match when={member()}>
        {(mark) => <Avatar name={mark().name} shape={mark().shape} size="small" colour={mark().colour} />}
      </Match>
    </Switch>
  );
}

/** All shortcuts by group, and the switch for single-letter shortcuts. */
import { For } from 'solid-js';
import { Dialog } from '../parts/dialog/Dialog';
import { Switch } from '../parts/field/Switch';
import { KeyCaps } from '../parts/KeyCaps';
import { SHORTCUTS, type Shortcut } from '../platform/shortcuts';
import { useStore } from '../state/store_context';
import './ShortcutList.css';

const GROUPS: readonly Shortcut['group'][] = ['Everywhere', 'Conversation', 'Inbox', 'Composer'];

export function ShortcutList(props: { onClose(): void }) {
  const store = useStore();
  return (
    <Dialog title="Shortcuts" size="wide" onClose={() => props.onClose()}>
      <div class="shortcut-groups">
        <For each={GROUPS}>{(group) => <GroupTable group={group} />}</For>
      </div>
      <Switch
        label="Single letters"
        hint="Shortcuts without Ctrl, ⌘ or Alt, outside fields."
        isOn={store.preferences().letterKeys}
        onChange={(letterKeys) => store.commands.setPreferences({ letterKeys })}
      />
    </Dialog>
  );
}

function GroupTable(props: { group: Shortcut['group'] }) {
  const store = useStore();
  /** The reader chooses whether Enter or Ctrl+Enter sends. */
  const keysOf = (shortcut: Shortcut) => {
    if (store.preferences().enterSends) return shortcut.keys;
    return { send: 'Ctrl+Enter', 'new-line': 'Enter' }[shortcut.id] ?? shortcut.keys;
  };
  return (
    <section class="shortcut-group">
      <h3>{props.group}</h3>
      <dl>
        <For each={SHORTCUTS.filter((one) => one.group === props.group)}>
          {(shortcut) => (
            <div class="shortcut">
              <dt>{shortcut.does}</dt>
              <dd>
                <KeyCaps keys={keysOf(shortcut)} />
              </dd>
            </div>
          )}
        </For>
      </dl>
    </section>
  );
}

/** Registers the shortcuts of the focused row. Renders nothing. */
import { onCleanup } from 'solid-js';
import { onShortcut } from '../../platform/shortcuts';
import type { MessageActions } from './use_message_actions';

export function MessageShortcuts(props: { actions: MessageActions; onReact(): void }) {
  const { actions } = props;
  const may = () => actions.permissions();
  const ends = [
    onShortcut('reply', () => actions.reply()),
    onShortcut('edit', () => may().edit && actions.edit()),
    onShortcut('react', () => may().react && props.onReact()),
    onShortcut('copy', () => void actions.copy()),
    onShortcut('remove', () => may().remove && actions.askToRemove()),
  ];
  onCleanup(() => {
    for (const end of ends) end();
  });
  return null;
}

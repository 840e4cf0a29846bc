/** The keys of the row that has the keyboard; they stand in the table of shortcuts. Shows nothing. */
import { onCleanup } from 'solid-js';
import { onShortcut } from '../../platform/shortcuts';
import type { Deeds } from './use_message_actions';

export function Keys(props: { deeds: Deeds; onReact(): void }) {
  const { deeds } = props;
  const may = () => deeds.permit();
  const ends = [
    onShortcut('reply', () => deeds.reply()),
    onShortcut('edit', () => may().edit && deeds.edit()),
    onShortcut('react', () => may().react && props.onReact()),
    onShortcut('copy', () => void deeds.copy()),
    onShortcut('remove', () => may().remove && deeds.askToRemove()),
  ];
  onCleanup(() => {
    for (const end of ends) end();
  });
  return null;
}

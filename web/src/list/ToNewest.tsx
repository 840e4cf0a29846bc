/** The button that scrolls to the newest message, with the number of new messages. */
import { Icon } from '../parts/Icon';

export function ToNewest(props: { newCount: number; onClick(): void }) {
  return (
    <button
      type="button"
      class="to-newest"
      data-new={props.newCount > 0 ? '' : undefined}
      onClick={() => props.onClick()}
    >
      <Icon name="down" size={16} />
      {newestLabel(props.newCount)}
    </button>
  );
}

export function newestLabel(newCount: number): string {
  if (newCount === 0) return 'Newest messages';
  return newCount === 1 ? '1 new message' : `${newCount} new messages`;
}

/** The way back to the end of the list, and how much came since the reader left it. */
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

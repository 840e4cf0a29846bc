/** Reactions of a message: one button per emoji, pressed when the reader reacted. */
import { For } from 'solid-js';
import type { Reaction } from '../../api/model';
import { toastOnRefusal } from '../../parts/toast/toast_refusal';
import { useStore } from '../../state/store_context';
import type { Row } from '../row';
import { emojiName } from './emoji';

const NAMES_MAX = 12;

export function Reactions(props: { row: Row }) {
  const message = () => props.row.message();
  const signs = () => message().reactions?.map((reaction) => reaction.emoji) ?? [];
  return (
    <For each={signs()}>
      {(sign) => <ReactionButton row={props.row} sign={sign} reaction={find(message().reactions, sign)} />}
    </For>
  );
}

/** Buttons are keyed by emoji, so a changed count does not lose the focus. */
function find(reactions: readonly Reaction[] | undefined, sign: string): Reaction {
  return reactions?.find((one) => one.emoji === sign) ?? { emoji: sign, members: [] };
}

function ReactionButton(props: { row: Row; sign: string; reaction: Reaction }) {
  const store = useStore();
  const isMine = () => {
    const session = store.session();
    return session.state === 'signed_in' && props.reaction.members.includes(session.me.member_id);
  };
  const names = () => reactorsText(props.reaction.members.map((id) => store.members().get(id)?.name));
  return (
    <button
      type="button"
      class="reaction"
      aria-pressed={isMine()}
      aria-label={`${emojiName(props.sign)}, ${props.reaction.members.length}`}
      title={names()}
      onClick={() => void toastOnRefusal(store.commands.toggleReaction(props.row.message(), props.sign))}
    >
      <span class="reaction-sign">{props.sign}</span>
      {props.reaction.members.length}
    </button>
  );
}

/** Returns "Mara, Coder and 3 more"; members who left have no name. */
export function reactorsText(names: readonly (string | undefined)[]): string {
  const shown = names.slice(0, NAMES_MAX).map((name) => name ?? 'Former member');
  const rest = names.length - shown.length;
  return rest > 0 ? `${shown.join(', ')} and ${rest} more` : shown.join(', ');
}

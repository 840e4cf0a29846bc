/** Avatar of a member: people round, agents square, with a presence dot. */
import { Show } from 'solid-js';
import { Icon, type IconName } from './Icon';
import './Avatar.css';

/** Authors that are not members have an icon. */
const SIGNS: Readonly<Record<string, IconName | undefined>> = { applet: 'grid', scheduler: 'clock' };

export type PresenceDot = 'idle' | 'working' | 'paused' | 'away';

export function Avatar(props: {
  name: string;
  shape: 'person' | 'agent' | 'applet' | 'scheduler' | 'assistant';
  size?: 'small' | 'normal';
  presence?: PresenceDot;
  /** The colour of a person: see `personColour`. Without one it has the colour of users. */
  colour?: number | undefined;
}) {
  const letters = () => initials(props.name, props.size === 'small' || props.shape === 'person' ? 1 : 2);
  return (
    <span
      class="avatar"
      data-shape={props.shape}
      data-size={props.size ?? 'normal'}
      data-colour={props.colour}
      // Drawn by CSS: as text it would be part of the name of a link or button.
      data-initials={SIGNS[props.shape] ? '' : letters()}
      aria-hidden="true"
    >
      <Show when={SIGNS[props.shape]}>{(name) => <Icon name={name()} size={props.size === 'small' ? 12 : 16} />}</Show>
      <Show when={props.presence}>{(presence) => <span class="presence-dot" data-presence={presence()} />}</Show>
    </span>
  );
}

/** Returns the first letters of a name, whole characters only. */
export function initials(name: string, count: number): string {
  const letters = [...new Intl.Segmenter().segment(name.trim())].map((part) => part.segment);
  const [first = '?', ...rest] = letters.slice(0, count);
  return first.toLocaleUpperCase() + rest.join('').toLocaleLowerCase();
}

/** Something that the hub tells only once: a link, a token, a command that holds one. */
import type { JSX } from 'solid-js';
import { CopyButton } from '../parts/CopyButton';

export function ShownOnce(props: {
  /** What it is and what to do with it. */
  children: JSX.Element;
  text: string;
  copy: string;
}) {
  return (
    <div class="shown-once">
      <p>{props.children}</p>
      <pre>{props.text}</pre>
      <div class="shown-once-acts">
        <small class="hint">It is shown only now. Whoever has it can use it.</small>
        <CopyButton text={props.text} label={props.copy} />
      </div>
    </div>
  );
}

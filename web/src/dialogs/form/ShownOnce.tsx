/** Something that the hub tells only once: a link, a token, a command that holds one. */
import type { JSX } from 'solid-js';
import { CopyButton } from '../../parts/CopyButton';

export function ShownOnce(props: {
  /** What it is and what to do with it. */
  children: JSX.Element;
  text: string;
  copy: string;
}) {
  return (
    <div class="shown-once">
      <p>{props.children}</p>
      <textarea class="shown-text" readonly rows={rowsFor(props.text)} aria-label="To copy" spellcheck={false}>
        {props.text}
      </textarea>
      <div class="shown-once-acts">
        <small class="hint">It is shown only now. Whoever has it can use it.</small>
        <CopyButton text={props.text} label={props.copy} />
      </div>
    </div>
  );
}

const CHARS_IN_ROW = 54;
const ROWS_MAX = 7;

/** As many rows as the text needs, up to a few: a token is long and says nothing to the eye. */
function rowsFor(text: string): number {
  const rows = text.split('\n').reduce((sum, line) => sum + Math.ceil(line.length / CHARS_IN_ROW), 0);
  return Math.min(ROWS_MAX, Math.max(1, rows));
}

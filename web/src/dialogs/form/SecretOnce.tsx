/** Shows a secret that the hub returns only once: a link, a token, or a command with a token. */
import type { JSX } from 'solid-js';
import { CopyButton } from '../../parts/CopyButton';

export function SecretOnce(props: { children: JSX.Element; text: string; copy: string }) {
  return (
    <div class="shown-once">
      <p>{props.children}</p>
      <textarea class="shown-text" readonly rows={rowsFor(props.text)} aria-label="To copy" spellcheck={false}>
        {props.text}
      </textarea>
      <div class="shown-once-acts">
        <small class="hint">Shown only once. Anyone who has it can use it.</small>
        <CopyButton text={props.text} label={props.copy} />
      </div>
    </div>
  );
}

const CHARS_IN_ROW = 54;
const ROWS_MAX = 7;

/** Returns the number of rows for a text, up to a few: nobody reads a token. */
function rowsFor(text: string): number {
  const rows = text.split('\n').reduce((sum, line) => sum + Math.ceil(line.length / CHARS_IN_ROW), 0);
  return Math.min(ROWS_MAX, Math.max(1, rows));
}

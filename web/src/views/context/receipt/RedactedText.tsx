/** A text as a model reads it: plain, whatever it looks like, with the marks of what was taken out made visible. */
import { For, Show } from 'solid-js';
import { cutAtMarks } from './redaction_marks';

export function RedactedText(props: {
  text: string;
  kinds?: ReadonlySet<string> | undefined;
  /** What somebody typed like a mark. */
  typed?: ReadonlySet<string> | undefined;
}) {
  return (
    <For each={cutAtMarks(props.text, props.kinds, props.typed)}>
      {(piece) => (
        <Show when={piece.isMark} fallback={piece.text}>
          <mark class="taken-out" title="Taken out before a model sees it">
            {piece.text}
          </mark>
        </Show>
      )}
    </For>
  );
}

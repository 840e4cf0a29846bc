/** A text as the model gets it: plain, with redaction marks highlighted. */
import { For, Show } from 'solid-js';
import { cutAtMarks } from './redaction_marks';
import './RedactedText.css';

export function RedactedText(props: {
  text: string;
  kinds?: ReadonlySet<string> | undefined;
  /** Marks that were typed by the author. */
  typed?: ReadonlySet<string> | undefined;
}) {
  return (
    <For each={cutAtMarks(props.text, props.kinds, props.typed)}>
      {(piece) => (
        <Show when={piece.isMark} fallback={piece.text}>
          <mark class="taken-out" title="Redacted before a model sees it">
            {piece.text}
          </mark>
        </Show>
      )}
    </For>
  );
}

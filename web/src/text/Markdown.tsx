/** The text of a message. The only way of untrusted text into the page. */
import type { GrowingText } from '../state/contract';

export function Markdown(props: {
  /** The text, when it is whole. */
  source: string;
  /** While it is written: what is shown grows, and ends as `source` without being built anew. */
  growing?: GrowingText | undefined;
  /** Whom a name after `@` calls; a name without an answer stays plain text. */
  mention?: (name: string) => { id: string; isReader: boolean } | undefined;
}) {
  return <div class="markdown">{props.growing?.text() ?? props.source}</div>;
}

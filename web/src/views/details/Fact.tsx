/** One entry of a `<dl class="facts">`. */
import type { JSX } from 'solid-js';

export function Fact(props: { name: string; children: JSX.Element }) {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}

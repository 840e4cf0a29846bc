/** A link that opens a run in the pane, or in the list of runs. */
import { type JSX, Show } from 'solid-js';
import { route, withPane } from '../../platform/router';
import { hrefOf, type Route } from '../../platform/routes';
import { runName } from '../../platform/run_name';

export function runRoute(here: Route, id: string): Route {
  const pane = { kind: 'run', id } as const;
  return withPane(here, pane) ?? { view: 'runs', pane };
}

export function RunLink(props: { id: string; class?: string; children?: JSX.Element; title?: string }) {
  return (
    <a class={props.class ?? 'run-link'} href={hrefOf(runRoute(route(), props.id))} title={props.title}>
      <Show when={props.children} fallback={runName(props.id)}>
        {props.children}
      </Show>
    </a>
  );
}

/** Messages that entered the prompt of a run, as far as known. */
import { createMemo, For, Show } from 'solid-js';
import type { Run } from '../../api/model';
import { deliveryPathText } from '../../message/ledger/ledger_text';
import { durationText } from '../../parts/time/duration';
import { messageRoute } from '../../platform/message_route';
import { hrefOf } from '../../platform/routes';
import { useStore } from '../../state/store_context';
import type { MessageLookup } from '../use_messages';
import { excerpt } from './run_text';

export function GivenMessages(props: { run: Run; messageOf: MessageLookup }) {
  const store = useStore();
  const ids = createMemo(() => {
    const about = [props.run.message_id, ...(props.run.pauses ?? []).map((pause) => pause.message_id)];
    return [...new Set(about.filter((id) => id !== null && id !== undefined))];
  });
  const given = createMemo(() =>
    ids().flatMap((id) => store.deliveries(id)?.filter((one) => one.run_id === props.run.id) ?? []),
  );
  return (
    <Show when={given().length > 0}>
      <section class="run-section" aria-labelledby="run-given">
        <h3 id="run-given">Messages given to the model</h3>
        <ul class="run-given">
          <For each={given()}>
            {(one) => (
              <li>
                <Show when={props.messageOf(one.message_id)} fallback="A message">
                  {(message) => (
                    <a href={hrefOf(messageRoute(message()))}>
                      {message().from.name}: {excerpt(message().body, 60)}
                    </a>
                  )}
                </Show>{' '}
                <span>
                  <Show when={one.delivered_via}>{(path) => deliveryPathText(path())}</Show>
                  <Show when={one.time_to_read_ms}>{(ms) => `, read after ${durationText(ms())}`}</Show>
                </span>
              </li>
            )}
          </For>
        </ul>
      </section>
    </Show>
  );
}

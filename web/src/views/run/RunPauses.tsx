/** Why a run is paused: who paused it or whom it asked, and a link. */

import { For, Show } from 'solid-js';
import type { Message, Pause, Run } from '../../api/model';
import { DateTime } from '../../parts/time/Time';
import { toastOnRefusal } from '../../parts/toast/toast_refusal';
import { messageRoute } from '../../platform/message_route';
import { hrefOf } from '../../platform/routes';
import { useStore } from '../../state/store_context';
import { capitalize } from '../../text/wording';
import type { MessageLookup } from '../use_messages';
import { useViewer } from '../use_viewer';
import { excerpt, pauseText } from './run_text';
import './RunPauses.css';

export function RunPauses(props: { run: Run; messageOf: MessageLookup; onChange(run: Run): void }) {
  const pauses = () => props.run.pauses ?? [];
  return (
    <Show when={props.run.state === 'paused'}>
      <section class="run-section" aria-labelledby="run-why">
        <h3 id="run-why">Reason for the pause</h3>
        <Show
          when={pauses().length > 0}
          fallback={<p class="hint">A message in a conversation that you cannot read paused it.</p>}
        >
          <For each={pauses().map((pause) => pause.message_id)}>
            {(id) => (
              <Show when={pauses().find((pause) => pause.message_id === id)}>
                {(pause) => (
                  <PauseCard
                    run={props.run}
                    pause={pause()}
                    message={props.messageOf(id)}
                    isOnly={pauses().length === 1}
                    onChange={props.onChange}
                  />
                )}
              </Show>
            )}
          </For>
        </Show>
      </section>
    </Show>
  );
}

function PauseCard(props: {
  run: Run;
  pause: Pause;
  message: Message | undefined;
  isOnly: boolean;
  onChange(run: Run): void;
}) {
  const store = useStore();
  const viewer = useViewer();
  const goOn = () =>
    toastOnRefusal(store.commands.resumeRun(props.run.id, props.pause.message_id).then(props.onChange));
  return (
    <div class="run-pause">
      <p class="run-pause-head">
        <b>{capitalize(pauseText(props.pause, props.message, viewer))}</b>
        <span>
          since <DateTime at={props.pause.since} />
        </span>
      </p>
      <Show when={props.message}>
        {(message) => (
          <>
            <p class="run-pause-text">
              {message().removed_at ? 'The message was deleted.' : excerpt(message().body, 280)}
            </p>
            <p class="run-pause-acts">
              <a href={hrefOf(messageRoute(message()))}>
                {props.pause.reason === 'asked' ? 'Show the question' : 'Show the message'}
              </a>
              {/* With one pause the button above does the same. */}
              <Show when={!props.isOnly && props.pause.reason === 'message'}>
                <button type="button" class="link-button" onClick={() => void goOn()}>
                  Resume without this message
                </button>
              </Show>
            </p>
          </>
        )}
      </Show>
    </div>
  );
}

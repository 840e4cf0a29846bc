/** Short hints between the text and the buttons: length, unknown names, who will be called. */
import { createMemo, For, type JSX, Show } from 'solid-js';
import type { ComposerState } from './composer_state';
import { lengthStatusOf } from './length_limit';
import { findUnknownName } from './suggest/unknown_names';
import './ComposerHints.css';

export function ComposerHints(props: { composing: ComposerState; id: string }) {
  return (
    <div class="composer-notes" id={props.id} aria-live="polite">
      <UnknownCommand composing={props.composing} />
      <UnknownMention composing={props.composing} />
      <Files composing={props.composing} />
      <Offline composing={props.composing} />
      <RoomLeft composing={props.composing} />
    </div>
  );
}

function Note(props: { kind?: 'danger'; children: JSX.Element }) {
  return (
    <p class="composer-note" data-kind={props.kind}>
      {props.children}
    </p>
  );
}

function UnknownCommand(props: { composing: ComposerState }) {
  const unknown = () => {
    const parsed = props.composing.parsed();
    return parsed.type === 'unknown' ? parsed : undefined;
  };
  return (
    <Show when={unknown()}>
      {(one) => (
        <Note>
          There is no command /{one().name}: it is sent as text.
          <For each={one().proposals}>
            {(name) => (
              <button
                type="button"
                class="proposal"
                onClick={() => props.composing.replace(0, 1 + one().name.length, `/${name}`)}
              >
                /{name}?
              </button>
            )}
          </For>
        </Note>
      )}
    </Show>
  );
}

function UnknownMention(props: { composing: ComposerState }) {
  const { composing } = props;
  const known = createMemo(() => {
    const members = [...composing.store.members().values()];
    return { names: members.map((one) => one.name), ids: members.map((one) => one.id) };
  });
  const unknown = createMemo(() => findUnknownName(composing.text(), composing.caret(), known()));
  return (
    <Show when={unknown()}>
      {(one) => (
        <Note>
          Nobody here is called @{one().name}.
          <For each={one().proposals}>
            {(name) => (
              <button
                type="button"
                class="proposal"
                onClick={() => composing.replace(one().start, one().end, `@${name}`)}
              >
                {name}?
              </button>
            )}
          </For>
        </Note>
      )}
    </Show>
  );
}

function Files(props: { composing: ComposerState }) {
  const { composing } = props;
  const count = () => composing.uploads.of(composing.id()).length;
  return (
    <>
      <Show when={composing.uploads.sendsWhenDone(composing.id())}>
        <Note>
          Sends when the {count() === 1 ? 'upload is' : 'uploads are'} done.
          <button
            type="button"
            class="proposal"
            onClick={() => composing.uploads.setSendsWhenDone(composing.id(), false)}
          >
            Do not send yet
          </button>
        </Note>
      </Show>
      <Show when={composing.readiness() === 'file_failed'}>
        <Note kind="danger">A file was not taken. Remove it to send the rest.</Note>
      </Show>
    </>
  );
}

function Offline(props: { composing: ComposerState }) {
  return (
    <Show when={isOffline(props.composing) && props.composing.text() !== ''}>
      <Note>{OFFLINE}</Note>
    </Show>
  );
}

export const OFFLINE = 'Offline: your message will be sent when the connection is back';

export function isOffline({ store }: ComposerState): boolean {
  const { state } = store.connection();
  return state === 'offline' || state === 'waiting';
}

function RoomLeft(props: { composing: ComposerState }) {
  const room = createMemo(() => lengthStatusOf(props.composing.text()));
  const words = () => {
    const now = room();
    return now.state === 'plenty' ? undefined : now.words;
  };
  return (
    <Show when={words()}>{(said) => <Note kind={room().state === 'none' ? 'danger' : undefined}>{said()}</Note>}</Show>
  );
}

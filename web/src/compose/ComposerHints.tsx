/** Short hints between the text and the buttons: length, unknown names, who will be called. */
import { createMemo, For, type JSX, Show } from 'solid-js';
import type { ComposerState } from './composer_state';
import { lengthStatusOf } from './length_limit';
import { findUnknownName } from './suggest/unknown_names';
import './ComposerHints.css';

export function ComposerHints(props: { composer: ComposerState; id: string }) {
  return (
    <div class="composer-notes" id={props.id} aria-live="polite">
      <UnknownCommand composer={props.composer} />
      <UnknownMention composer={props.composer} />
      <Files composer={props.composer} />
      <Offline composer={props.composer} />
      <RemainingLength composer={props.composer} />
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

function UnknownCommand(props: { composer: ComposerState }) {
  const unknown = () => {
    const parsed = props.composer.parsed();
    return parsed.type === 'unknown' ? parsed : undefined;
  };
  return (
    <Show when={unknown()}>
      {(one) => (
        <Note>
          Unknown command /{one().name}. It will be sent as text.
          <For each={one().proposals}>
            {(name) => (
              <button
                type="button"
                class="proposal"
                onClick={() => props.composer.replace(0, 1 + one().name.length, `/${name}`)}
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

function UnknownMention(props: { composer: ComposerState }) {
  const { composer } = props;
  const known = createMemo(() => {
    const members = [...composer.store.members().values()];
    return { names: members.map((one) => one.name), ids: members.map((one) => one.id) };
  });
  const unknown = createMemo(() => findUnknownName(composer.text(), composer.caret(), known()));
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
                onClick={() => composer.replace(one().start, one().end, `@${name}`)}
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

function Files(props: { composer: ComposerState }) {
  const { composer } = props;
  const count = () => composer.uploads.of(composer.id()).length;
  return (
    <>
      <Show when={composer.uploads.sendsWhenDone(composer.id())}>
        <Note>
          Sends when the {count() === 1 ? 'upload is' : 'uploads are'} done.
          <button
            type="button"
            class="proposal"
            onClick={() => composer.uploads.setSendsWhenDone(composer.id(), false)}
          >
            Do not send yet
          </button>
        </Note>
      </Show>
      <Show when={composer.readiness() === 'file_failed'}>
        <Note kind="danger">A file could not be uploaded. Retry it, or remove it to send the rest.</Note>
      </Show>
    </>
  );
}

function Offline(props: { composer: ComposerState }) {
  return (
    <Show when={isOffline(props.composer) && props.composer.text() !== ''}>
      <Note>{OFFLINE}</Note>
    </Show>
  );
}

export const OFFLINE = 'Offline: your message will be sent when the connection is back';

export function isOffline({ store }: ComposerState): boolean {
  const { state } = store.connection();
  return state === 'offline' || state === 'waiting';
}

function RemainingLength(props: { composer: ComposerState }) {
  const room = createMemo(() => lengthStatusOf(props.composer.text()));
  const words = () => {
    const now = room();
    return now.state === 'plenty' ? undefined : now.words;
  };
  return (
    <Show when={words()}>{(text) => <Note kind={room().state === 'none' ? 'danger' : undefined}>{text()}</Note>}</Show>
  );
}

/** One message: stored, streaming or being sent. */
import { createMemo, Match, Show, Switch } from 'solid-js';
import type { Message } from '../api/model';
import { clockText } from '../parts/time/Time';
import type { MessageList } from '../state/contract';
import { personColour } from '../state/person_colour';
import { useStore } from '../state/store_context';
import { BubbleRow } from './bubble/BubbleRow';
import { isEdited } from './edit/edit_state';
import { NoteRow } from './note/NoteRow';
import { presentationOf } from './presentation';
import { QuestionRow } from './question/QuestionRow';
import { type ListScope, outgoingAsMessage, type Row, rowKey } from './row';
import { ToolRow } from './tool/ToolRow';
import { isActive } from './toolbar/active_row';
import { Toolbar } from './toolbar/Toolbar';
import './MessageRow.css';

interface RowProps {
  messageList: MessageList;
  id: string;
  /** The message above has the same author within five minutes: they share a header. */
  isContinued: boolean;
  scope: ListScope;
}

export function MessageRow(props: RowProps) {
  const store = useStore();
  const outgoing = () => props.messageList.outgoing(props.id);
  /** The stored message replaces the outgoing one in the same elements. */
  const shown = createMemo(() => {
    const stored = props.messageList.message(props.id);
    if (stored) return stored;
    const session = store.session();
    const waiting = outgoing();
    return waiting && session.state === 'signed_in' ? outgoingAsMessage(waiting, session.me) : undefined;
  });
  return <Show when={shown()}>{(message) => <Article message={message} outgoing={outgoing} {...props} />}</Show>;
}

/** The article of a message; others style and find it by its classes and attributes. */
function Article(props: RowProps & { message: () => Message; outgoing: Row['outgoing'] }) {
  const store = useStore();
  const message = () => props.message();
  const row: Row = {
    messageList: props.messageList,
    scope: props.scope,
    message,
    outgoing: () => (message().seq === 0 ? props.outgoing() : undefined),
    presentation: createMemo(() => presentationOf(message(), myId(store.session()))),
    isMine: () => message().from.id === myId(store.session()),
  };
  const colour = createMemo(() => personColour(store.snapshot(), message().from));
  const hasActions = () => !row.outgoing() && !row.presentation().isRemoved && !isEdited(props.id);
  return (
    <article
      class={`message ${row.presentation().className}`}
      data-id={props.id}
      data-scope={props.scope}
      data-source={row.presentation().source}
      data-kind={message().kind}
      data-state={row.outgoing()?.status.state ?? message().state}
      data-side={row.presentation().side}
      data-colour={row.isMine() ? undefined : colour()}
      data-mine={row.isMine() ? '' : undefined}
      data-removed={row.presentation().isRemoved ? '' : undefined}
      data-continued={props.isContinued ? '' : undefined}
      aria-label={`${message().from.name}, ${clockText(message().created_at)}`}
      tabindex="-1"
    >
      <Switch>
        <Match when={row.presentation().layout === 'speech'}>
          <BubbleRow row={row} isContinued={props.isContinued} />
        </Match>
        <Match when={row.presentation().layout === 'question'}>
          <QuestionRow row={row} />
        </Match>
        <Match when={row.presentation().layout === 'tool'}>
          <ToolRow row={row} />
        </Match>
        <Match when={row.presentation().layout === 'note'}>
          <NoteRow row={row} />
        </Match>
      </Switch>
      <Show when={isActive(rowKey(props.scope, props.id)) && hasActions()}>
        <Toolbar row={row} />
      </Show>
    </article>
  );
}

function myId(session: ReturnType<ReturnType<typeof useStore>['session']>): string | undefined {
  return session.state === 'signed_in' ? session.me.member_id : undefined;
}

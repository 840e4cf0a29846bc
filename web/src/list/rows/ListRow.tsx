/** One row of the list: a message, a date, the unread line, or one of the two ends. */
import { type JSX, Match, Show, Switch } from 'solid-js';
import { MessageRow } from '../../message/MessageRow';
import { Icon } from '../../parts/Icon';
import { dayLabel } from '../../parts/time/Time';
import type { End, MessageList } from '../../state/contract';
import { dayOf, kindOf } from './rows';
import { today } from './today';

export interface ListRowProps {
  rowKey: string;
  messageList: MessageList;
  scope: 'conversation' | 'thread';
  isContinued: boolean;
  isHighlighted: boolean;
  beginning?: (() => JSX.Element) | undefined;
}

export function ListRow(props: ListRowProps) {
  const kind = () => kindOf(props.rowKey);
  return (
    <div class="list-row" data-row={kind()} data-highlighted={props.isHighlighted ? '' : undefined}>
      <Switch>
        <Match when={kind() === 'message'}>
          <MessageRow
            messageList={props.messageList}
            id={props.rowKey}
            isContinued={props.isContinued}
            scope={props.scope}
          />
        </Match>
        <Match when={kind() === 'day'}>
          <div class="day-line">
            <span>{dayLabel(dayOf(props.rowKey), today())}</span>
          </div>
        </Match>
        <Match when={kind() === 'unread'}>
          <div class="unread-line">
            <span>New</span>
          </div>
        </Match>
        <Match when={kind() === 'top'}>
          <Edge
            end={props.messageList.older()}
            load={() => props.messageList.loadOlder()}
            what="Older messages"
            reached={props.beginning}
          />
        </Match>
        <Match when={kind() === 'bottom'}>
          <Edge end={props.messageList.newer()} load={() => props.messageList.loadNewer()} what="Newer messages" />
        </Match>
      </Switch>
    </div>
  );
}

/**
 * One end of the loaded range: the start of the conversation, an error, or a loading indicator. An article, as
 * `role=feed` requires.
 */
function Edge(props: { end: End; load(): void; what: string; reached?: (() => JSX.Element) | undefined }) {
  return (
    <Switch>
      <Match when={props.end === 'reached'}>
        <Show when={props.reached} fallback={<div class="list-foot" />}>
          {(make) => (
            <article class="list-beginning" aria-label="Start of the conversation">
              {make()()}
            </article>
          )}
        </Show>
      </Match>
      <Match when={props.end === 'failed'}>
        <article class="list-edge" aria-label={props.what}>
          <Icon name="warning" size={16} />
          <span>{props.what} could not be loaded.</span>
          <button type="button" class="button" data-kind="quiet" onClick={() => props.load()}>
            Try again
          </button>
        </article>
      </Match>
      <Match when={props.end === 'more' || props.end === 'loading'}>
        <div class="list-edge">
          <span class="list-dots" aria-hidden="true">
            <i />
            <i />
            <i />
          </span>
          <span class="unseen">{props.what} are loading</span>
        </div>
      </Match>
    </Switch>
  );
}

/** The virtual list of messages: only visible rows are in the DOM, and nothing moves while messages arrive. */
import { type JSX, onCleanup, onMount, Show } from 'solid-js';
import { Virtualizer, type VirtualizerHandle } from 'virtua/solid';
import { Skeleton } from '../parts/loading/Skeleton';
import { takesFocus } from '../platform/focus';
import { markReady } from '../platform/ready';
import { onShortcut } from '../platform/shortcuts';
import type { MessageList } from '../state/contract';
import { LoadingFailed } from './LoadingFailed';
import { messageAt, passTab, takeTab } from './list_keyboard';
import { createList, type List } from './list_state';
import { ListRow } from './rows/ListRow';
import { listenForScrollInput } from './scroll/scroll_input';
import { ToNewest } from './ToNewest';
import './MessageListView.css';

export interface MessageListViewProps {
  messageList: MessageList;
  label: string;
  targetId?: string | undefined;
  scope: 'conversation' | 'thread';
  /** Renders the start of the conversation, above the first message. */
  beginning?: () => JSX.Element;
}

export function MessageListView(props: MessageListViewProps) {
  let viewport: HTMLElement | undefined;
  const list = createList(props, () => viewport);
  const isBusy = () => props.messageList.loading() || !list.isOpen();
  return (
    <div class="message-frame">
      <Show when={!props.messageList.failed()} fallback={<Failure messageList={props.messageList} />}>
        <Feed
          list={list}
          isBusy={isBusy()}
          ref={(element) => {
            viewport = element;
          }}
          {...props}
        />
        <Show when={isBusy()}>
          <div class="message-skeleton">
            <Skeleton label="Loading messages" lines={9} />
          </div>
        </Show>
      </Show>
      <Show when={list.isOpen() && list.scroller.isAway()}>
        <ToNewest newCount={list.scroller.follow().newCount} onClick={() => void list.goToNewest()} />
      </Show>
    </div>
  );
}

interface PartProps extends MessageListViewProps {
  list: List;
}

/** The scroll container. It is one tab stop. */
function Feed(props: PartProps & { isBusy: boolean; ref(element: HTMLElement): void }) {
  let viewport: HTMLElement | undefined;
  onMount(() => {
    if (!viewport) return;
    // Rows extend below the scrollbar, so that they align with the composer.
    viewport.style.setProperty('--scrollbar', `${viewport.offsetWidth - viewport.clientWidth}px`);
    listen(viewport, props.list, props.messageList.conversationId);
  });
  return (
    <div
      class="message-list"
      role="feed"
      tabindex="0"
      aria-label={props.label}
      aria-busy={props.isBusy}
      data-follows={props.list.scroller.follow().follows ? '' : undefined}
      ref={(element) => {
        viewport = element;
        props.ref(element);
      }}
    >
      <Show when={props.list.isOpen() && props.list.model().generation} keyed>
        <Rows viewport={() => viewport} {...props} />
      </Show>
    </div>
  );
}

/** The rows of one loaded range, with their measured heights. */
function Rows(props: PartProps & { viewport: () => HTMLElement | undefined }) {
  const { model, scroller, highlighted, kept } = props.list;
  let rows: VirtualizerHandle | undefined;
  let isShown = false;
  onMount(() => {
    const viewport = props.viewport();
    if (viewport && rows) scroller.attach(viewport, rows);
  });
  const onResize = () => {
    scroller.settle();
    if (isShown) return;
    isShown = true;
    // All rows are measured before the first paint.
    requestAnimationFrame(() => {
      props.list.onShown();
      markReady();
    });
  };
  return (
    <Virtualizer
      data={model().keys}
      shift={model().isShifted}
      keepMounted={kept()}
      onResize={onResize}
      ref={(handle) => {
        rows = handle;
      }}
    >
      {(key) => (
        <ListRow
          rowKey={key}
          messageList={props.messageList}
          scope={props.scope}
          isContinued={model().continued.has(key)}
          isHighlighted={highlighted() === key}
          beginning={props.beginning}
        />
      )}
    </Virtualizer>
  );
}

function Failure(props: { messageList: MessageList }) {
  return (
    <Show when={props.messageList.failed()}>
      {(refusal) => (
        <LoadingFailed what="The messages" refusal={refusal()} onRetry={() => void props.messageList.reload()} />
      )}
    </Show>
  );
}

/** Adds all listeners of the list and removes them on cleanup. */
function listen(viewport: HTMLElement, list: List, conversationId: string): void {
  const { scroller, listKeyboard } = list;
  const end = new AbortController();
  const { signal } = end;
  viewport.addEventListener('scroll', () => scroller.onScroll(), { signal, passive: true });
  viewport.addEventListener('keydown', (event) => onKey(viewport, event, list), { signal });
  viewport.addEventListener(
    'focusin',
    (event) => {
      const id = messageAt(event.target);
      if (id !== undefined) listKeyboard.setCurrent(id);
    },
    { signal },
  );
  const ends = [
    listenForScrollInput(viewport, (direction) => scroller.turn(direction)),
    takeTab(viewport),
    takesFocus('messages', conversationId, () => viewport.focus()),
    onShortcut('next-message', () => listKeyboard.move(1)),
    onShortcut('previous-message', () => listKeyboard.move(-1)),
    onShortcut('newest', () => void list.goToNewest()),
    () => end.abort(),
  ];
  onCleanup(() => {
    for (const stop of ends) stop();
  });
}

function onKey(viewport: HTMLElement, event: KeyboardEvent, list: List): void {
  passTab(viewport, event);
  const isOnMessage = event.target instanceof HTMLElement && event.target.matches('article.message');
  if (event.target !== viewport && !isOnMessage) return;
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : undefined;
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (step !== undefined && list.listKeyboard.move(step)) event.preventDefault();
  if (event.key === 'End') {
    event.preventDefault();
    void list.goToNewest();
  }
}

/** Creates the state of one list: rows, scroller, keyboard and opening position. */
import { type Accessor, createEffect, createMemo, createSignal, on, onCleanup, untrack } from 'solid-js';
import { toast } from '../parts/toast/Toast';
import type { MessageList } from '../state/contract';
import { useStore } from '../state/store_context';
import { createListKeyboard, createSelected, type ListKeyboard } from './list_keyboard';
import { createPageWatched } from './page_visibility';
import { arrivalsOf, createRowChanges, type RowChanges } from './rows/row_changes';
import { UNREAD } from './rows/rows';
import { createUnreadSpan } from './rows/unread_span';
import { findOpening } from './scroll/opening_position';
import { type SavedPosition, savedPositions } from './scroll/saved_positions';
import { ANCHOR_END, type ScrollAnchor } from './scroll/scroll_anchor';
import { Scroller } from './scroll/scroller';
import { createVisibleRows } from './visible_rows';

export interface ListProps {
  readonly messageList: MessageList;
  readonly targetId?: string | undefined;
}

export interface List {
  readonly model: Accessor<RowChanges>;
  readonly scroller: Scroller;
  readonly listKeyboard: ListKeyboard;
  /** The opening position is known: rows can be shown. */
  readonly isOpen: Accessor<boolean>;
  /** The message of a link, highlighted for a moment. */
  readonly highlighted: Accessor<string | undefined>;
  /** Indexes of rows that stay mounted while they are not visible. */
  readonly kept: Accessor<readonly number[]>;
  /** Scrolls to the end of the conversation; loads it first if needed. */
  goToNewest(): Promise<void>;
  /** The rows are in place for the first time. */
  onShown(): void;
}

const HIGHLIGHT_MS = 2_000;

export function createList(props: ListProps, viewport: () => HTMLElement | undefined): List {
  const store = useStore();
  const messageList = untrack(() => props.messageList);
  const watching = createPageWatched();
  const markRead = (seq: number) => store.commands.markRead(messageList.conversationId, seq);
  const visibleRows = createVisibleRows(messageList, watching, markRead);
  const span = createUnreadSpan(messageList, watching, visibleRows.seenSeq);
  const model = createRowChanges(messageList, () => store.snapshot()?.reader, span);
  const scroller = new Scroller({
    keys: () => untrack(model).keys,
    isNewest: () => untrack(messageList.newer) === 'reached',
    onVisibleChange: inNextFrame(() => {
      const geometry = scroller.geometry();
      if (geometry) visibleRows.see(geometry);
    }),
  });
  const listKeyboard = createListKeyboard(viewport, scroller);
  const opening = createOpening(props, model, scroller, listKeyboard);

  followChanges(messageList, model, scroller, () => goToNewest());
  createEffect(on(watching, () => untrack(() => scroller.settle()), { defer: true }));
  savePosition(messageList.conversationId, scroller, opening.isOpen);

  async function goToNewest(): Promise<void> {
    if (untrack(messageList.newer) !== 'reached') await messageList.loadNewest().catch(() => {});
    scroller.go(ANCHOR_END);
  }

  const selected = createSelected(viewport);
  const kept = createMemo(() => {
    const wanted = [listKeyboard.current(), ...selected()];
    const { keys } = model();
    return wanted.map((key) => (key === undefined ? -1 : keys.indexOf(key))).filter((index) => index >= 0);
  });
  return { model, scroller, listKeyboard, kept, goToNewest, ...opening };
}

/** Runs once per frame, after rows are measured: estimated heights would mark unseen messages as read. */
function inNextFrame(act: () => void): () => void {
  let frame: number | undefined;
  onCleanup(() => frame !== undefined && cancelAnimationFrame(frame));
  return () => {
    frame ??= requestAnimationFrame(() => {
      frame = undefined;
      act();
    });
  };
}

/** Decides where to open, and scrolls to the message of a new link. */
function createOpening(props: ListProps, model: Accessor<RowChanges>, scroller: Scroller, listKeyboard: ListKeyboard) {
  const messageList = untrack(() => props.messageList);
  const [isOpen, setOpen] = createSignal(false);
  const [highlighted, setHighlighted] = createSignal<string>();
  const isLoaded = whenLoaded(messageList);
  /** Counts openings: the result of an earlier one is dropped. */
  let generation = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => {
    generation += 1;
    clearTimeout(timer);
  });

  async function open(): Promise<void> {
    generation += 1;
    const mine = generation;
    let isMissing = false;
    const hold = await findOpening(messageList, {
      targetId: untrack(() => props.targetId),
      position: savedPositions.find(messageList.conversationId),
      hasUnread: async () => {
        await isLoaded;
        return untrack(model).keys.includes(UNREAD);
      },
      onMissing: () => {
        isMissing = true;
        toast('This message no longer exists.', { kind: 'warning', key: 'missing-message' });
      },
    });
    // Another link came meanwhile, or the reader left. A missing message does not move a list that is already open.
    if (mine !== generation || (isMissing && isOpen())) return;
    scroller.go(hold);
    if (hold.at === 'middle') highlight(hold.key);
    setOpen(true);
  }

  function highlight(id: string): void {
    clearTimeout(timer);
    setHighlighted(id);
    listKeyboard.setCurrent(id);
    timer = setTimeout(() => {
      setHighlighted(undefined);
      scroller.release();
    }, HIGHLIGHT_MS);
  }

  void open();
  createEffect(
    on(
      () => props.targetId,
      (id) => id !== undefined && void open(),
      { defer: true },
    ),
  );
  return { isOpen, highlighted, onShown: () => scroller.release() };
}

function whenLoaded(messageList: MessageList): Promise<void> {
  return new Promise((resolve) => {
    createEffect(() => !messageList.loading() && !messageList.failed() && resolve());
  });
}

/** Notifies the scroller of new rows after all dependent signals have changed. */
function followChanges(
  messageList: MessageList,
  model: Accessor<RowChanges>,
  scroller: Scroller,
  goToNewest: () => void,
): void {
  let wasNewest = false;
  createEffect(
    on(messageList.ids, (ids, before) => {
      const news = arrivalsOf(before ?? [], ids);
      const hasOwn = news.some((id) => messageList.outgoing(id));
      const isNewest = messageList.newer() === 'reached';
      if (hasOwn && !isNewest) goToNewest();
      else if (news.length > 0 && wasNewest) scroller.onArrival({ others: news.length, hasOwn });
      wasNewest = isNewest;
    }),
  );
  createEffect(on(model, () => queueMicrotask(() => untrack(() => scroller.settle())), { defer: true }));
}

/** Saves the position when the reader leaves the conversation or the page. */
function savePosition(conversationId: string, scroller: Scroller, isOpen: Accessor<boolean>): void {
  const keep = () => untrack(isOpen) && savedPositions.leave(conversationId, toSavedPosition(scroller.position()));
  addEventListener('pagehide', keep);
  onCleanup(() => {
    removeEventListener('pagehide', keep);
    keep();
  });
}

function toSavedPosition(hold: ScrollAnchor): SavedPosition {
  return hold.at === 'row' ? { at: 'message', id: hold.key, distance: hold.distance } : { at: 'end' };
}

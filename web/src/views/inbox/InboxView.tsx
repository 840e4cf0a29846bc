/** The inbox: questions, mentions and important messages of the open project, by conversation. */
import { createMemo, createSignal, For, Match, onCleanup, Show, Switch } from 'solid-js';
import type { InboxEntry } from '../../api/model';
import { EmptyState } from '../../parts/EmptyState';
import { Icon } from '../../parts/Icon';
import { Skeleton } from '../../parts/loading/Skeleton';
import { toastOnRefusal } from '../../parts/toast/toast_refusal';
import { announce } from '../../platform/announce';
import { hrefOf } from '../../platform/routes';
import { onShortcut } from '../../platform/shortcuts';
import { titleOf } from '../../state/selectors';
import { useStore } from '../../state/store_context';
import { ListEnd } from '../ListEnd';
import { moveFocusIn, stepFocus } from '../move_focus';
import { createPagedList } from '../paged_list';
import { useViewer } from '../use_viewer';
import { ViewBar } from '../ViewBar';
import { InboxLine } from './InboxLine';
import { type InboxGroup, inboxGroups } from './inbox_groups';
import './InboxView.css';

const LINES = '.inbox-link';

export function InboxView() {
  const store = useStore();
  const viewer = useViewer();
  const projectId = createMemo(() => store.snapshot()?.project.id);
  const list = createPagedList<InboxEntry>({
    of: projectId,
    ask: (cursor) => store.commands.loadInbox(cursor),
    keyOf: ({ message }) => message.id,
    // Posts and reads change the inbox.
    changed: createMemo(() => [store.snapshot()?.reading, store.questions().items]),
  });
  const { isGone, markRead } = useReading(list.again);
  const groups = createMemo(() =>
    inboxGroups(
      list.pages().items.filter((entry) => !isGone(entry)),
      viewer.readerId,
    ),
  );
  let body: HTMLDivElement | undefined;
  const readAll = () => markRead(groups().map((group) => group.newest));
  answerInboxKeys({
    step: (by) => stepFocus(body, LINES, by),
    read: () => readFocused(body, groups(), markRead),
    readAll: () => groups().length > 0 && void readAll(),
  });
  return (
    <main class="view inbox-view">
      <ViewBar title="Inbox">
        <Show when={groups().length > 0}>
          <button type="button" class="button" data-kind="quiet" title="Shift+E" onClick={() => void readAll()}>
            <Icon name="check" size={16} />
            Mark all as read
          </button>
        </Show>
      </ViewBar>
      <div class="view-body">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: arrows only move the focus between links */}
        <div class="view-column" ref={body} onKeyDown={(event) => moveFocusIn(body, LINES, event)}>
          <For each={groups().map((group) => group.conversationId)}>
            {(id) => (
              <Show when={groups().find((group) => group.conversationId === id)}>
                {(group) => <Group group={group()} onRead={(entry) => void markRead([entry])} />}
              </Show>
            )}
          </For>
          <Switch>
            <Match when={groups().length > 0 || list.pages().state === 'failed' || list.pages().hasMore}>
              <ListEnd pages={list.pages()} onMore={list.more} />
            </Match>
            <Match when={list.pages().state === 'asking'}>
              <Skeleton label="Loading the inbox" lines={6} />
            </Match>
            <Match when={true}>
              <EmptyState icon="inbox">
                You are all caught up. Questions, mentions and important messages appear here until you read them.
              </EmptyState>
            </Match>
          </Switch>
        </div>
      </div>
    </main>
  );
}

function Group(props: { group: InboxGroup; onRead(entry: InboxEntry): void }) {
  const store = useStore();
  const title = () => {
    const snapshot = store.snapshot();
    return snapshot ? titleOf(snapshot, props.group.conversationId) : '';
  };
  const href = () =>
    hrefOf({
      view: 'conversation',
      projectId: props.group.newest.message.project_id,
      conversationId: props.group.conversationId,
    });
  return (
    <section class="inbox-group" aria-label={title()}>
      <header>
        <h2>
          <a href={href()}>{title()}</a>
        </h2>
        <Show when={props.group.entries.length > 1}>
          <button
            type="button"
            class="button"
            data-kind="quiet"
            aria-label={`Mark as read: ${title()}`}
            onClick={() => props.onRead(props.group.newest)}
          >
            Mark as read
          </button>
        </Show>
      </header>
      <ul>
        <For each={props.group.entries}>
          {(entry) => <InboxLine entry={entry} onRead={() => props.onRead(entry)} />}
        </For>
      </ul>
    </section>
  );
}

/** Marks as read, and hides messages at once that the hub will leave out. */
function useReading(again: () => void) {
  const store = useStore();
  /** Read positions by conversation. */
  const [read, setRead] = createSignal<ReadonlyMap<string, number>>(new Map());
  const isGone = ({ message }: InboxEntry) => message.seq <= (read().get(message.to) ?? 0);
  const note = (entries: readonly InboxEntry[], seqOf: (entry: InboxEntry) => number) =>
    setRead((old) => new Map([...old, ...entries.map((entry) => [entry.message.to, seqOf(entry)] as const)]));
  const markRead = async (entries: readonly InboxEntry[]) => {
    const before = read();
    note(entries, (entry) => entry.message.seq);
    const isDone = await toastOnRefusal(
      Promise.all(entries.map((entry) => store.commands.markMessageRead(entry.message.id))),
    );
    if (isDone) announce(entries.length === 1 ? 'Marked as read' : 'All messages are marked as read');
    else note(entries, (entry) => before.get(entry.message.to) ?? 0);
    again();
  };
  return { isGone, markRead };
}

function answerInboxKeys(answers: { step(by: 1 | -1): void; read(): void; readAll(): void }): void {
  const ends = [
    onShortcut('next-message', () => answers.step(1)),
    onShortcut('previous-message', () => answers.step(-1)),
    onShortcut('inbox-read', answers.read),
    onShortcut('inbox-read-all', answers.readAll),
  ];
  onCleanup(() => {
    for (const end of ends) end();
  });
}

/** Marks the focused line as read and focuses the line that replaces it. */
function readFocused(
  body: HTMLElement | undefined,
  groups: readonly InboxGroup[],
  markRead: (entries: readonly InboxEntry[]) => Promise<void>,
): void {
  const lines = [...(body?.querySelectorAll<HTMLElement>(LINES) ?? [])];
  const at = lines.indexOf(document.activeElement as HTMLElement);
  const id = lines[at]?.dataset.id;
  const entry = groups.flatMap((group) => group.entries).find((one) => one.message.id === id);
  if (!entry) return;
  void markRead([entry]);
  const left = [...(body?.querySelectorAll<HTMLElement>(LINES) ?? [])];
  left[Math.min(at, left.length - 1)]?.focus();
}

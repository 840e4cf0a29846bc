/** The timeline of a run or task. */
import { createMemo, For, Match, Show, Switch } from 'solid-js';
import type { Message, TimelineEntry } from '../../api/model';
import { RunLink } from '../../message/run/RunLink';
import { Skeleton } from '../../parts/loading/Skeleton';
import { fullTimeText } from '../../parts/time/Time';
import { messageRoute } from '../../platform/message_route';
import { hrefOf } from '../../platform/routes';
import { useStore } from '../../state/store_context';
import { ListEnd } from '../ListEnd';
import { createPagedList } from '../paged_list';
import { useViewer } from '../use_viewer';
import { timelineEntryText, toneOf } from './timeline_text';
import './run_sections.css';
import './Timeline.css';

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const DAY_AND_CLOCK = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const DAY_MS = 86_400_000;

export function Timeline(props: {
  of: { run: string } | { task: string };
  /** A change means that something has happened. */
  version: string;
  /** The last entry is not the end. */
  isOpen: boolean;
  messageOf(id: string | null | undefined): Message | undefined;
}) {
  const store = useStore();
  const list = createPagedList<TimelineEntry>({
    of: () => JSON.stringify(props.of),
    ask: (cursor) => store.commands.loadTimeline(props.of, cursor),
    keyOf: (entry) => String(entry.no),
    changed: () => props.version,
  });
  const items = () => list.pages().items;
  return (
    <section class="run-section" aria-labelledby="timeline">
      <h3 id="timeline">Timeline</h3>
      <Show when={items().length > 0}>
        <ol class="timeline">
          <For each={items()}>
            {(entry, index) => (
              <TimelineItem
                entry={entry}
                message={props.messageOf(entry.message_id)}
                isNow={props.isOpen && !list.pages().hasMore && index() === items().length - 1}
                namesRun={'task' in props.of}
              />
            )}
          </For>
        </ol>
      </Show>
      <Switch>
        <Match when={items().length > 0 || list.pages().state === 'failed'}>
          <ListEnd pages={list.pages()} onMore={list.more} />
        </Match>
        <Match when={list.pages().state === 'asking'}>
          <Skeleton label="Loading the timeline" lines={3} />
        </Match>
        <Match when={true}>
          <p class="hint">No entries yet.</p>
        </Match>
      </Switch>
    </section>
  );
}

function TimelineItem(props: {
  entry: TimelineEntry;
  message: Message | undefined;
  isNow: boolean;
  namesRun: boolean;
}) {
  const viewer = useViewer();
  const words = createMemo(() => timelineEntryText(props.entry, props.message, viewer, props.isNow));
  return (
    <li class="timeline-entry" data-tone={toneOf(props.entry.kind)} data-now={props.isNow ? '' : undefined}>
      <p class="timeline-head">
        <span class="timeline-title">{words().title}</span>
        <time datetime={props.entry.at} title={fullTimeText(props.entry.at)}>
          {shortTime(props.entry.at)}
        </time>
      </p>
      <Show when={words().detail}>
        {(detail) => (
          <p class="timeline-detail">
            <Show when={props.message} fallback={detail()}>
              {(message) => (
                <a class="timeline-link" href={hrefOf(messageRoute(message()))}>
                  {detail()}
                </a>
              )}
            </Show>
          </p>
        )}
      </Show>
      <Show when={props.namesRun && props.entry.run_id}>{(id) => <RunLink id={id()} class="timeline-run" />}</Show>
    </li>
  );
}

/** To the second today; with the date before. */
function shortTime(at: string): string {
  return (Date.now() - Date.parse(at) < DAY_MS ? CLOCK : DAY_AND_CLOCK).format(new Date(at));
}

/** What happened in a run or to a task, one moment after another: the timeline. */
import { createMemo, For, Match, Show, Switch } from 'solid-js';
import type { Message, TimelineEntry } from '../../api/model';
import { RunLink } from '../../message/run/RunLink';
import { Skeleton } from '../../parts/Skeleton';
import { wholeTime } from '../../parts/Time';
import { messageRoute } from '../../platform/message_route';
import { hrefOf } from '../../platform/routes';
import { useStore } from '../../state/store_context';
import { ListEnd } from '../ListEnd';
import { createPagedList } from '../paged_list';
import { useViewer } from '../use_viewer';
import { timelineEntryText, toneOf } from './timeline_text';

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
  /** Another one means that something has happened. */
  version: string;
  /** The last moment is not the end. */
  isOpen: boolean;
  messageOf(id: string | null | undefined): Message | undefined;
}) {
  const store = useStore();
  const list = createPagedList<TimelineEntry>({
    of: () => JSON.stringify(props.of),
    ask: (cursor) => store.commands.loadTimeline(props.of, cursor),
    keyOf: (moment) => String(moment.no),
    changed: () => props.version,
  });
  const items = () => list.pages().items;
  return (
    <section class="run-section" aria-labelledby="timeline">
      <h3 id="timeline">Timeline</h3>
      <Show when={items().length > 0}>
        <ol class="chronicle">
          <For each={items()}>
            {(moment, index) => (
              <TimelineItem
                moment={moment}
                message={props.messageOf(moment.message_id)}
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
          <p class="hint">Nothing has happened yet.</p>
        </Match>
      </Switch>
    </section>
  );
}

function TimelineItem(props: {
  moment: TimelineEntry;
  message: Message | undefined;
  isNow: boolean;
  namesRun: boolean;
}) {
  const viewer = useViewer();
  const words = createMemo(() => timelineEntryText(props.moment, props.message, viewer, props.isNow));
  return (
    <li class="moment" data-tone={toneOf(props.moment.kind)} data-now={props.isNow ? '' : undefined}>
      <p class="moment-head">
        <span class="moment-title">{words().title}</span>
        <time datetime={props.moment.at} title={wholeTime(props.moment.at)}>
          {shortTime(props.moment.at)}
        </time>
      </p>
      <Show when={words().detail}>
        {(detail) => (
          <p class="moment-detail">
            <Show when={props.message} fallback={detail()}>
              {(message) => (
                <a class="moment-link" href={hrefOf(messageRoute(message()))}>
                  {detail()}
                </a>
              )}
            </Show>
          </p>
        )}
      </Show>
      <Show when={props.namesRun && props.moment.run_id}>{(id) => <RunLink id={id()} class="moment-run" />}</Show>
    </li>
  );
}

/** To the second today; what is older needs its day more. */
function shortTime(at: string): string {
  return (Date.now() - Date.parse(at) < DAY_MS ? CLOCK : DAY_AND_CLOCK).format(new Date(at));
}

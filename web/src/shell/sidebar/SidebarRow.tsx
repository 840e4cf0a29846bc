/** One row of the sidebar: a link with unread count and detail. */
import { type JSX, Show } from 'solid-js';
import { Icon, type IconName } from '../../parts/Icon';
import type { Route } from '../../platform/routes';
import { hrefOf } from '../../platform/routes';
import type { Unread } from '../../state/contract';
import './SidebarRow.css';

const NO_UNREAD: Unread = { messages: 0, mentions: 0 };
const COUNT_SHOWN_MAX = 99;

export function SidebarRow(props: {
  to: Route;
  mark: JSX.Element;
  name: string;
  /** `page` is the main view, `true` the pane. */
  current?: 'page' | 'true' | undefined;
  unread?: Unread;
  /** The unit of the badge when it does not count messages. */
  counted?: string;
  /** The state of a member. */
  detail?: string;
  isMuted?: boolean;
  action?: { readonly label: string; readonly icon: IconName; run(): void };
}) {
  const unread = () => props.unread ?? NO_UNREAD;
  const label = () =>
    props.counted && unread().messages > 0
      ? `${props.name}, ${props.counted}`
      : rowLabel(props.name, unread(), props.detail);
  return (
    <>
      <a
        class="row-link"
        href={hrefOf(props.to)}
        aria-current={props.current}
        data-unread={unread().messages > 0 ? '' : undefined}
        data-muted={props.isMuted ? '' : undefined}
      >
        <span class="row-mark">{props.mark}</span>
        <span class="unseen">{label()}</span>
        <span class="row-name" aria-hidden="true">
          {props.name}
        </span>
        <Show when={props.detail}>
          {(detail) => (
            <span class="row-detail" aria-hidden="true">
              {detail()}
            </span>
          )}
        </Show>
        <UnreadBadge unread={unread()} />
      </a>
      <Show when={props.action}>
        {(action) => (
          <button
            type="button"
            class="row-action"
            aria-label={action().label}
            title={action().label}
            onClick={() => action().run()}
          >
            <Icon name={action().icon} size={16} />
          </button>
        )}
      </Show>
    </>
  );
}

function UnreadBadge(props: { unread: Unread }) {
  return (
    <Show when={props.unread.messages > 0}>
      <span class="badge" data-kind={props.unread.mentions > 0 ? 'mention' : 'unread'} aria-hidden="true">
        {shownCount(props.unread.mentions || props.unread.messages)}
      </span>
    </Show>
  );
}

/** The accessible name: "release, 3 unread, 1 mention". */
function rowLabel(name: string, unread: Unread, detail: string | undefined): string {
  const { messages, mentions } = unread;
  const parts = [name];
  if (detail) parts.push(detail);
  if (messages > 0) parts.push(`${messages} unread`);
  if (mentions > 0) parts.push(mentions === 1 ? '1 mention' : `${mentions} mentions`);
  return parts.join(', ');
}

function shownCount(count: number): string {
  return count > COUNT_SHOWN_MAX ? `${COUNT_SHOWN_MAX}+` : String(count);
}

/** One candidate: what it is, where it is from, its level and the reasons. */
import { type JSX, Show } from 'solid-js';
import type { ReceiptItem } from '../../../api/context_model';
import { messageRoute } from '../../../platform/message_route';
import { route } from '../../../platform/router';
import { hrefOf } from '../../../platform/routes';
import { isNarrow } from '../../../shell/screen';
import { conversationOf, titleOf } from '../../../state/selectors';
import { useStore } from '../../../state/store_context';
import { keepPane } from '../context_route';
import { levelText, reasonsText, tokenCountText } from '../context_text';
import { PreviewText } from './PreviewText';
import { RedactedText } from './RedactedText';
import './ItemLine.css';

export function ItemLine(props: {
  item: ReceiptItem;
  /** Kinds of redactions, if known. */
  kinds?: ReadonlySet<string> | undefined;
  /** Marks that were typed by the author. */
  typed?: ReadonlySet<string> | undefined;
  /** Replaces its text. */
  children?: JSX.Element;
}) {
  const names = useNames();
  return (
    <li class="context-item">
      <p class="context-item-head">
        <Show when={names.href(props.item)} fallback={<Title item={props.item} names={names} />}>
          {(href) => (
            <a class="context-link" href={href()}>
              <span class="unseen">
                {props.item.type === 'summary' ? 'Show the last summarised message: ' : 'Show the message of '}
              </span>
              <Title item={props.item} names={names} />
            </a>
          )}
        </Show>
        <Show when={props.item.level}>
          <span class="context-tokens">{tokenCountText(props.item.tokens ?? 0)}</span>
        </Show>
      </p>
      <p class="context-why">
        <Show when={props.item.level}>{(level) => <span class="chip">{levelText(level())}</span>}</Show>{' '}
        {reasonsText(props.item.reasons)}
      </p>
      <Show when={props.children} fallback={<IncludedText item={props.item} kinds={props.kinds} typed={props.typed} />}>
        {props.children}
      </Show>
    </li>
  );
}

function Title(props: { item: ReceiptItem; names: Names }) {
  return (
    <span>
      <b>{props.names.title(props.item)}</b>
      <Show when={props.names.place(props.item)}>{(place) => <span class="context-place"> in {place()}</span>}</Show>
    </span>
  );
}

/** The included text; candidates that are left out have none in the receipt. */
function IncludedText(props: Parameters<typeof ItemText>[0]) {
  const isNamed = () => !props.item.level && !props.item.text && props.item.type === 'message';
  return (
    <Show when={isNamed()} fallback={<ItemText item={props.item} kinds={props.kinds} typed={props.typed} />}>
      <PreviewText messageId={props.item.id} />
    </Show>
  );
}

/** Authors may type something that looks like a mark: only real redactions are highlighted. */
export function ItemText(props: {
  item: ReceiptItem;
  kinds?: ReadonlySet<string> | undefined;
  typed?: ReadonlySet<string> | undefined;
}) {
  return (
    <Show when={props.item.text}>
      {(text) => (
        <p class="context-text">
          <Show when={props.item.redactions} fallback={text()}>
            <RedactedText text={text()} kinds={props.kinds} typed={props.typed} />
          </Show>
        </p>
      )}
    </Show>
  );
}

type Names = ReturnType<typeof useNames>;

function useNames() {
  const store = useStore();
  const snapshot = () => store.snapshot();
  const title = ({ type, id, from }: ReceiptItem): string => {
    switch (type) {
      case 'project':
        return snapshot()?.project.name ?? 'The project';
      case 'agent':
        return store.members().get(id)?.name ?? from?.name ?? 'An agent';
      case 'task':
        return snapshot()?.tasks.find((task) => task.id === id)?.title ?? 'A task';
      case 'artifact':
        return snapshot()?.artifacts.find((file) => file.id === id)?.filename ?? 'A file';
      case 'summary':
        return 'A summary';
      default:
        return from?.name ?? 'A message';
    }
  };
  /** With the message number, which distinguishes messages of one author. */
  const place = ({ conversation_id: id, seq }: ReceiptItem): string | undefined => {
    const here = snapshot();
    if (!here || !id) return undefined;
    const found = conversationOf(here, id);
    const inThread = found?.type === 'thread' && (found.channel ? `a thread of #${found.channel.name}` : 'a thread');
    const title = inThread || titleOf(here, id);
    return seq ? `${title}, no. ${seq}` : title;
  };
  const href = ({ type, id, conversation_id: to }: ReceiptItem): string | undefined => {
    const projectId = snapshot()?.project.id;
    if (!projectId || !to || (type !== 'message' && type !== 'summary')) return undefined;
    const there = messageRoute({ project_id: projectId, to, id });
    // On narrow screens the drawer would hide the target; going back reopens it.
    return hrefOf(isNarrow() ? there : keepPane(route(), there));
  };
  return { title, place, href };
}

/** One candidate: what it is, where it stands, at which length it is shown and why, or not. */
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

export function ItemLine(props: {
  item: ReceiptItem;
  /** What was taken out, if it is known. */
  kinds?: ReadonlySet<string> | undefined;
  /** What looks so and was typed, if there is such. */
  typed?: ReadonlySet<string> | undefined;
  /** Stands in the place of its text. */
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
                {props.item.type === 'summary' ? 'Show the message where it ends: ' : 'Show the message of '}
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
      <Show when={props.children} fallback={<OwnWords item={props.item} kinds={props.kinds} typed={props.typed} />}>
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

/** What is shown of it; what is left out has no text in the receipt. */
function OwnWords(props: Parameters<typeof ItemText>[0]) {
  const isNamed = () => !props.item.level && !props.item.text && props.item.type === 'message';
  return (
    <Show when={isNamed()} fallback={<ItemText item={props.item} kinds={props.kinds} typed={props.typed} />}>
      <PreviewText messageId={props.item.id} />
    </Show>
  );
}

/** Somebody may write what looks like a mark: only where something was taken out is it one. */
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
  /** With its number there, which tells those of one sender apart. */
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
    // A drawer would hide what the link leads to; the way back brings it again as it was.
    return hrefOf(isNarrow() ? there : keepPane(route(), there));
  };
  return { title, place, href };
}

/** The inbox of an agent: counts, and unread messages by conversation. */
import { createMemo, createResource, For, Show } from 'solid-js';
import type { Digest, InboxCounts } from '../../api/model';
import { hrefOf } from '../../platform/routes';
import { titleOf } from '../../state/selectors';
import { useStore } from '../../state/store_context';
import { plainText } from '../../text/markdown/plain_text';
import { ListEnd } from '../ListEnd';
import { createPagedList } from '../paged_list';

export function AgentInbox(props: { agentId: string }) {
  const store = useStore();
  const changed = createMemo(() => [store.runs(), store.snapshot()?.reading]);
  const [counts] = createResource(
    () => [props.agentId, changed()] as const,
    ([id]) => store.commands.loadInboxCounts(id).catch(() => undefined),
  );
  const list = createPagedList<Digest>({
    of: () => props.agentId,
    ask: (cursor) => store.commands.loadDigests(props.agentId, cursor),
    keyOf: (digest) => digest.conversation_id,
    changed,
  });
  return (
    <>
      <Show when={counts.latest}>{(now) => <Counts counts={now()} />}</Show>
      <Show when={list.pages().items.length > 0}>
        <ul class="digests" aria-label="Unread by conversation">
          <For each={list.pages().items}>{(digest) => <DigestLine digest={digest} />}</For>
        </ul>
      </Show>
      <Show when={list.pages().items.length === 0 && list.pages().state === 'done'}>
        <p class="hint">No unread messages.</p>
      </Show>
      <ListEnd pages={list.pages()} onMore={list.more} />
    </>
  );
}

function Counts(props: { counts: InboxCounts }) {
  const rows = () =>
    [
      ['unread', props.counts.total],
      ['blocking', props.counts.blocking],
      ['mentions', props.counts.mentions],
      ['critical', props.counts.critical],
      ['high', props.counts.high],
    ] as const;
  return (
    <dl class="counts">
      <For each={rows()}>
        {([name, count]) => (
          <div data-none={count === 0 ? '' : undefined}>
            <dt>{name}</dt>
            <dd>{count}</dd>
          </div>
        )}
      </For>
    </dl>
  );
}

function DigestLine(props: { digest: Digest }) {
  const store = useStore();
  const title = () => {
    const snapshot = store.snapshot();
    return snapshot ? titleOf(snapshot, props.digest.conversation_id) : '';
  };
  const href = () =>
    hrefOf({
      view: 'conversation',
      projectId: store.snapshot()?.project.id ?? '',
      conversationId: props.digest.conversation_id,
      messageId: props.digest.oldest.message_id,
    });
  const from = () => props.digest.from.map((author) => author.name).join(', ');
  return (
    <li>
      <a class="digest" href={href()}>
        <b>{title()}</b>
        <span>
          {props.digest.unread.total} unread from {from()}
        </span>
        <span class="digest-text">{plainText(props.digest.newest.summary)}</span>
      </a>
    </li>
  );
}

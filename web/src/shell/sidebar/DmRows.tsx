/** Rows of the reader's DMs, newest first. */
import { createMemo, Show } from 'solid-js';
import type { Dm, Snapshot } from '../../api/model';
import { openDialog } from '../../dialogs/open_dialog';
import { Icon } from '../../parts/Icon';
import { isConversationOpen } from '../../platform/router';
import { namesIn, unreadOf } from '../../state/selectors';
import { useStore } from '../../state/store_context';
import { MemberAvatar } from '../member/MemberAvatar';
import { conversationRoute, dmsNewestFirst } from './conversation_order';
import { SidebarRow } from './SidebarRow';
import { SidebarSection } from './SidebarSection';

export function DmRows(props: { snapshot: Snapshot }) {
  const dms = createMemo(() => dmsNewestFirst(props.snapshot));
  const start = () => openDialog({ kind: 'start-dm' });
  return (
    <SidebarSection
      id="dms"
      title="Direct messages"
      items={dms()}
      stays={(dm) => isConversationOpen(dm.id) || unreadOf(props.snapshot, dm.id).messages > 0}
      add={{ label: 'Start a direct message', run: start }}
      empty={
        <button type="button" class="section-hint" onClick={start}>
          Message one or more members.
        </button>
      }
    >
      {(dm) => <DmRow snapshot={props.snapshot} dm={dm} />}
    </SidebarSection>
  );
}

function DmRow(props: { snapshot: Snapshot; dm: Dm }) {
  const store = useStore();
  const others = () => props.dm.participants.filter((id) => id !== props.snapshot.reader);
  const only = () => (others().length === 1 ? store.members().get(others()[0] ?? '') : undefined);
  return (
    <SidebarRow
      to={conversationRoute(props.snapshot, props.dm.id)}
      mark={
        <Show when={only()} fallback={<Icon name="people" size={16} />}>
          {(member) => <MemberAvatar member={member()} />}
        </Show>
      }
      name={namesIn(props.snapshot, props.dm).join(', ')}
      current={isConversationOpen(props.dm.id) ? 'page' : undefined}
      unread={unreadOf(props.snapshot, props.dm.id)}
    />
  );
}

/** Rows of open channels, and of archived ones at the end of the sidebar. */
import { createMemo } from 'solid-js';
import type { Channel, Snapshot } from '../../api/model';
import { openDialog } from '../../dialogs/open_dialog';
import { Icon } from '../../parts/Icon';
import { isConversationOpen } from '../../platform/router';
import { archivedChannels, openChannels, unreadOf } from '../../state/selectors';
import { conversationRoute } from './conversation_order';
import { SidebarRow } from './SidebarRow';
import { SidebarSection } from './SidebarSection';

export function ChannelRows(props: { snapshot: Snapshot }) {
  const channels = createMemo(() => openChannels(props.snapshot));
  const create = () => openDialog({ kind: 'create-channel' });
  return (
    <SidebarSection
      id="channels"
      title="Channels"
      items={channels()}
      stays={(channel) => isConversationOpen(channel.id) || unreadOf(props.snapshot, channel.id).messages > 0}
      add={{ label: 'Create a channel', run: create }}
      empty={
        <button type="button" class="section-hint" onClick={create}>
          No channel yet. Create the first one.
        </button>
      }
    >
      {(channel) => <ChannelRow snapshot={props.snapshot} channel={channel} />}
    </SidebarSection>
  );
}

export function ArchivedRows(props: { snapshot: Snapshot }) {
  const channels = createMemo(() => archivedChannels(props.snapshot));
  return (
    <SidebarSection
      id="archived"
      title="Archived"
      items={channels()}
      stays={(channel) => isConversationOpen(channel.id)}
    >
      {(channel) => <ChannelRow snapshot={props.snapshot} channel={channel} />}
    </SidebarSection>
  );
}

function ChannelRow(props: { snapshot: Snapshot; channel: Channel }) {
  return (
    <SidebarRow
      to={conversationRoute(props.snapshot, props.channel.id)}
      mark={<Icon name={props.channel.visibility === 'private' ? 'lock' : 'hash'} size={16} />}
      name={props.channel.name}
      current={isConversationOpen(props.channel.id) ? 'page' : undefined}
      unread={unreadOf(props.snapshot, props.channel.id)}
      isMuted={Boolean(props.channel.archived_at)}
    />
  );
}

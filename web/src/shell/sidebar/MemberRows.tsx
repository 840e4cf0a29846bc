/** Rows of agents and people with their state. A click opens the member pane, the small button a DM. */
import { createMemo, Show } from 'solid-js';
import type { Member, Snapshot } from '../../api/model';
import { type DialogRequest, openDialog } from '../../dialogs/open_dialog';
import { route } from '../../platform/router';
import { useStore } from '../../state/store_context';
import { compareNames } from '../../text/names';
import { MemberAvatar } from '../member/MemberAvatar';
import { memberRoute } from '../member/member_route';
import { useMemberState } from '../member/use_member_state';
import { useMessageMember } from '../member/use_message_member';
import { SidebarRow } from './SidebarRow';
import { SidebarSection } from './SidebarSection';

export function AgentRows(props: { snapshot: Snapshot }) {
  const agents = useMembers('agent', () => props.snapshot);
  return (
    <MemberSection
      id="agents"
      title="Agents"
      snapshot={props.snapshot}
      members={agents()}
      add={{ label: 'Add an agent', request: { kind: 'add-agent' } }}
      empty="Add an agent."
    />
  );
}

export function PeopleRows(props: { snapshot: Snapshot }) {
  const people = useMembers('person', () => props.snapshot);
  return (
    <MemberSection
      id="people"
      title="People"
      snapshot={props.snapshot}
      members={people()}
      add={{ label: 'Invite people', request: { kind: 'invite-people' } }}
      empty="Nobody else yet. Invite people."
    />
  );
}

/** Members of one type by name. Ids, so that a row keeps its element when its member changes. */
function useMembers(type: Member['type'], snapshot: () => Snapshot): () => string[] {
  const store = useStore();
  return createMemo(() =>
    [...store.members().values()]
      .filter((member) => member.type === type && member.id !== snapshot().reader)
      .sort((one, other) => compareNames(one.name, other.name))
      .map((member) => member.id),
  );
}

function MemberSection(props: {
  id: string;
  title: string;
  snapshot: Snapshot;
  members: readonly string[];
  add: { readonly label: string; readonly request: DialogRequest };
  empty: string;
}) {
  const store = useStore();
  const add = () => openDialog(props.add.request);
  return (
    <SidebarSection
      id={props.id}
      title={props.title}
      items={props.members}
      stays={isMemberPaneOpen}
      add={{ label: props.add.label, run: add }}
      empty={
        <button type="button" class="section-hint" onClick={add}>
          {props.empty}
        </button>
      }
    >
      {(id) => (
        <Show when={store.members().get(id)}>
          {(member) => <MemberRow snapshot={props.snapshot} member={member()} />}
        </Show>
      )}
    </SidebarSection>
  );
}

function MemberRow(props: { snapshot: Snapshot; member: Member }) {
  const state = useMemberState();
  const message = useMessageMember();
  return (
    <SidebarRow
      to={memberRoute(route(), props.snapshot, props.member.id)}
      mark={<MemberAvatar member={props.member} />}
      name={props.member.name}
      current={isMemberPaneOpen(props.member.id) ? 'true' : undefined}
      detail={state(props.member).words}
      action={{
        label: `Message ${props.member.name}`,
        icon: 'chat',
        run: () => void message(props.member.id),
      }}
    />
  );
}

function isMemberPaneOpen(memberId: string): boolean {
  const here = route();
  return here.view === 'conversation' && here.pane?.kind === 'member' && here.pane.id === memberId;
}

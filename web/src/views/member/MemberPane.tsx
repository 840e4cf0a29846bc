/** The member pane: a person or an agent with state and actions. */
import { type JSX, Match, Show, Switch } from 'solid-js';
import type { Agent, Member, Presence } from '../../api/model';
import { openDialog } from '../../dialogs/open_dialog';
import { Avatar } from '../../parts/Avatar';
import { Icon } from '../../parts/Icon';
import { route } from '../../platform/router';
import { hrefOf } from '../../platform/routes';
import { shortTime } from '../../shell/member/member_state';
import { useMemberState } from '../../shell/member/use_member_state';
import { useMessageMember } from '../../shell/member/use_message_member';
import { PaneHead } from '../../shell/pane/PaneHead';
import { usePersonColour } from '../../state/person_colour';
import { useStore } from '../../state/store_context';
import { contextRoute } from '../context/context_route';
import { focusNewPane } from '../context/request/focus_new_pane';
import { Fact } from '../details/Fact';
import '../details/DetailsPane.css';
import './MemberPane.css';

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' });

export function MemberPane(props: { memberId: string; onClose(): void }) {
  const store = useStore();
  const member = () => store.members().get(props.memberId);
  return (
    <section class="member" aria-label="Profile">
      <PaneHead onClose={props.onClose}>
        <h2>{member()?.type === 'agent' ? 'Agent' : 'Person'}</h2>
      </PaneHead>
      <div class="details-body">
        <Show when={member()} fallback={<p class="fact-missing">Not a member of this project.</p>}>
          {(who) => <MemberCard member={who()} />}
        </Show>
      </div>
    </section>
  );
}

function MemberCard(props: { member: Member }) {
  const store = useStore();
  const state = useMemberState();
  const colour = usePersonColour();
  const message = useMessageMember();
  const isReader = () => store.snapshot()?.reader === props.member.id;
  const presence = () => store.presence().get(props.member.id);
  return (
    <>
      <div class="member-card">
        <Avatar
          name={props.member.name}
          shape={props.member.type}
          presence={state(props.member).dot}
          colour={colour(props.member)}
        />
        <div>
          <h3>{props.member.name}</h3>
          <p>
            {isReader() ? 'This is you' : state(props.member).words}
            <Show when={presence()}>{(now) => ` since ${shortTime(Date.parse(now().since), Date.now())}`}</Show>
          </p>
        </div>
      </div>
      <Show when={!isReader()}>
        <button type="button" class="button" data-kind="main" onClick={() => void message(props.member.id)}>
          <Icon name="chat" size={16} />
          Message
        </button>
      </Show>
      <Show when={props.member.type === 'agent'}>
        <a class="button" href={hrefOf({ view: 'agent', id: props.member.id })}>
          <Icon name="play" size={16} />
          Agent details
        </a>
        <a class="button" href={hrefOf(contextRoute(route(), { agentId: props.member.id }))} onClick={focusNewPane}>
          <Icon name="spark" size={16} />
          Context preview
        </a>
      </Show>
      <Switch>
        <Match when={props.member.type === 'agent' && props.member.agent}>
          {(agent) => <AgentFacts agent={agent()} presence={presence()} />}
        </Match>
        <Match when={props.member.type === 'person' && props.member.person}>
          {(person) => <PersonFacts id={person().id} isAdmin={person().is_admin} createdAt={person().created_at} />}
        </Match>
      </Switch>
    </>
  );
}

function AgentFacts(props: { agent: Agent; presence: Presence | undefined }) {
  const store = useStore();
  const owner = () => store.members().get(props.agent.owner)?.name ?? 'Former member';
  const engine = () => {
    const { engine: now } = props.agent;
    return now && [now.provider, now.model].filter(Boolean).join(', ');
  };
  return (
    <>
      <dl class="facts">
        <Fact name="Runner">{engine() ? `the hub, with ${engine()}` : runnerText(props.presence)}</Fact>
        <Show when={props.agent.capabilities?.length}>
          <Fact name="Capabilities">
            <span class="member-chips">{props.agent.capabilities?.map(chip)}</span>
          </Fact>
        </Show>
        <Fact name="Owner">{owner()}</Fact>
        <Fact name="Added">{DAY.format(new Date(props.agent.created_at))}</Fact>
      </dl>
      <Show when={props.agent.instructions}>
        {(text) => (
          <details class="member-instructions">
            <summary>Instructions</summary>
            <p>{text()}</p>
          </details>
        )}
      </Show>
      <Show when={!props.presence && !engine()}>
        <p class="hint">The agent is not running. Calls to it wait for up to a day.</p>
      </Show>
    </>
  );
}

/** Returns machine and program, as far as the agent reports them. */
function runnerText(presence: Presence | undefined): string {
  if (!presence) return 'not connected';
  const { machine_name: machine, runtime } = presence;
  if (machine && runtime) return `${runtime} on ${machine}`;
  if (machine) return `on ${machine}`;
  return runtime || 'outside the hub';
}

function chip(text: string): JSX.Element {
  return <span class="chip">{text}</span>;
}

function PersonFacts(props: { id: string; isAdmin: boolean; createdAt: string }) {
  const store = useStore();
  const isOwner = () => store.snapshot()?.project.owner === props.id;
  /** The project's owner and administrators may remove people, but not the owner. */
  const mayRemove = () => {
    const session = store.session();
    if (session.state !== 'signed_in' || isOwner() || session.me.member_id === props.id) return false;
    return session.me.role === 'admin' || store.snapshot()?.project.owner === session.me.member_id;
  };
  const part = () => [isOwner() && 'owner of the project', props.isAdmin && 'administrator'].filter(Boolean).join(', ');
  return (
    <>
      <dl class="facts">
        <Fact name="Role">{part() || 'member'}</Fact>
        <Fact name="On this hub since">{DAY.format(new Date(props.createdAt))}</Fact>
      </dl>
      <Show when={mayRemove()}>
        <button
          type="button"
          class="button"
          data-kind="quiet"
          onClick={() => openDialog({ kind: 'remove-from-project', personId: props.id })}
        >
          Remove from the project…
        </button>
      </Show>
    </>
  );
}

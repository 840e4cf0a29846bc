/** The page of an agent: state, inbox, runs and limits. */
import { createMemo, For, type JSX, Match, Show, Switch } from 'solid-js';
import type { Agent, Project, Run } from '../../api/model';
import { Avatar } from '../../parts/Avatar';
import { EmptyState } from '../../parts/EmptyState';
import { Icon } from '../../parts/Icon';
import { route } from '../../platform/router';
import { hrefOf } from '../../platform/routes';
import { useMemberState } from '../../shell/member/use_member_state';
import { useMessageMember } from '../../shell/member/use_message_member';
import { useStore } from '../../state/store_context';
import { contextRoute } from '../context/context_route';
import { Fact } from '../details/Fact';
import { ListEnd } from '../ListEnd';
import { createPagedList } from '../paged_list';
import { RunRow } from '../run/RunRow';
import { useMessages } from '../use_messages';
import { ViewBar } from '../ViewBar';
import { AgentInbox } from './AgentInbox';
import { abilityTexts, limitTexts } from './agent_text';
import './AgentView.css';
import '../details/DetailsPane.css';
import '../run/run_sections.css';

const RUNS = 10;

export function AgentView(props: { agentId: string }) {
  const store = useStore();
  const agent = createMemo(() => {
    const member = store.members().get(props.agentId);
    return member?.type === 'agent' ? member.agent : undefined;
  });
  return (
    <main class="view agent-view">
      <ViewBar title={agent()?.name ?? 'Agent'} />
      <div class="view-body">
        <div class="view-column">
          <Switch>
            <Match when={agent()}>{(one) => <AgentDetails agent={one()} />}</Match>
            <Match when={store.snapshot()}>
              <EmptyState icon="spark">This agent is not in this project.</EmptyState>
            </Match>
          </Switch>
        </div>
      </div>
    </main>
  );
}

function AgentDetails(props: { agent: Agent }) {
  const store = useStore();
  const isAdmin = () => {
    const session = store.session();
    return session.state === 'signed_in' && session.me.role === 'admin';
  };
  return (
    <>
      <AgentCard agent={props.agent} />
      <AgentSection title="Runs">
        <Runs agentId={props.agent.id} />
      </AgentSection>
      {/* Only administrators may read the inbox of an agent. */}
      <Show when={isAdmin()}>
        <AgentSection title="Inbox">
          <AgentInbox agentId={props.agent.id} />
        </AgentSection>
      </Show>
      <AgentSection title="Context preview">
        <p class="hint">The context that its model would get now, with token counts and the items left out.</p>
        <a class="button" href={hrefOf(contextRoute(route(), { agentId: props.agent.id }))}>
          <Icon name="search" size={16} />
          Context preview
        </a>
      </AgentSection>
      <AgentSection title="Capabilities">
        <Abilities agent={props.agent} />
      </AgentSection>
      <Show when={store.snapshot()?.project}>
        {(project) => (
          <AgentSection title="Limits">
            <Limits project={project()} />
          </AgentSection>
        )}
      </Show>
    </>
  );
}

function AgentSection(props: { title: string; children: JSX.Element }) {
  return (
    <section class="agent-part">
      <h2>{props.title}</h2>
      {props.children}
    </section>
  );
}

function AgentCard(props: { agent: Agent }) {
  const store = useStore();
  const state = useMemberState();
  const message = useMessageMember();
  const words = () => {
    const member = store.members().get(props.agent.id);
    return member ? state(member) : undefined;
  };
  return (
    <div class="agent-card">
      <Avatar name={props.agent.name} shape="agent" presence={words()?.dot ?? 'away'} />
      <div>
        <p class="agent-state">{words()?.words}</p>
        <p class="hint">Owner: {store.members().get(props.agent.owner)?.name ?? 'a former member'}</p>
      </div>
      <button type="button" class="button" data-kind="main" onClick={() => void message(props.agent.id)}>
        <Icon name="chat" size={16} />
        Message
      </button>
    </div>
  );
}

function Runs(props: { agentId: string }) {
  const store = useStore();
  const messageOf = useMessages();
  const list = createPagedList<Run>({
    of: () => props.agentId,
    ask: (cursor) => store.commands.listRuns({ agentId: props.agentId, limit: RUNS, ...(cursor ? { cursor } : {}) }),
    keyOf: (run) => run.id,
    changed: store.runs,
  });
  const items = () => list.pages().items;
  return (
    <>
      <Show when={items().length > 0}>
        <ul class="runs" aria-label="Runs">
          <For each={items().map((run) => run.id)}>
            {(id) => (
              <Show when={items().find((run) => run.id === id)}>
                {(run) => <RunRow run={run()} messageOf={messageOf} onChange={list.again} />}
              </Show>
            )}
          </For>
        </ul>
      </Show>
      <Show when={items().length === 0 && list.pages().state === 'done'}>
        <p class="hint">No runs yet. Mention it in a conversation to start one.</p>
      </Show>
      <ListEnd pages={list.pages()} onMore={list.more} />
    </>
  );
}

function Abilities(props: { agent: Agent }) {
  const store = useStore();
  const abilities = () => abilityTexts(store.presence().get(props.agent.id));
  return (
    <>
      <Show when={props.agent.capabilities?.length} fallback={<p class="hint">No description.</p>}>
        <p class="agent-chips">
          <For each={props.agent.capabilities}>{(capability) => <span class="chip">{capability}</span>}</For>
        </p>
      </Show>
      <ul class="agent-lines">
        <For each={abilities()}>{(line) => <li>{line}</li>}</For>
      </ul>
    </>
  );
}

function Limits(props: { project: Project }) {
  return (
    <dl class="facts run-facts">
      <For each={limitTexts(props.project)}>{({ name, words }) => <Fact name={name}>{words}</Fact>}</For>
    </dl>
  );
}

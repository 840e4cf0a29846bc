/** Opens the first or last conversation; without one, shows the next step. */
import { createEffect, Match, Switch } from 'solid-js';
import { openDialog } from '../../dialogs/open_dialog';
import type { IconName } from '../../parts/Icon';
import { afterDelay } from '../../parts/loading/after_delay';
import { go } from '../../platform/router';
import { FullPage } from '../../shell/FullPage';
import { firstConversationOf } from '../../shell/member/member_route';
import { lastLocation } from '../../state/project/last_location';
import { useStore } from '../../state/store_context';

export function HomeView(props: { projectId?: string | undefined }) {
  const store = useStore();
  // Projects are loaded after the page: late is not missing.
  const isTime = afterDelay();
  const snapshot = () => {
    const now = store.snapshot();
    return now && now.project.id === props.projectId ? now : undefined;
  };
  createEffect(() => {
    const project = snapshot();
    const conversationId = project && firstConversationOf(project);
    if (project && conversationId) {
      go({ view: 'conversation', projectId: project.project.id, conversationId }, { replace: true });
    }
  });
  createEffect(() => {
    if (props.projectId) return;
    const projects = store.projects();
    const last = lastLocation();
    const project = projects.find((one) => one.id === last?.projectId) ?? projects[0];
    if (project) go({ view: 'project', projectId: project.id }, { replace: true });
  });
  return (
    <Switch fallback={<main class="page-place" aria-busy="true" />}>
      <Match when={snapshot() && !startOfOpen(snapshot())}>
        <Start
          icon="hash"
          title="No channel yet"
          about="Members of a project talk in channels, people and agents alike."
          act="Create the first channel"
          onAct={() => openDialog({ kind: 'create-channel' })}
        />
      </Match>
      <Match when={!props.projectId && isTime() && store.projects().length === 0}>
        <Start
          icon="chat"
          title="No project yet"
          about="A project groups people, agents and conversations. Create one, or ask someone to add you to theirs."
          act="Create a project"
          onAct={() => openDialog({ kind: 'create-project' })}
        />
      </Match>
    </Switch>
  );
}

function startOfOpen(snapshot: Parameters<typeof firstConversationOf>[0] | undefined): string | undefined {
  return snapshot && firstConversationOf(snapshot);
}

function Start(props: { icon: IconName; title: string; about: string; act: string; onAct(): void }) {
  return (
    <FullPage icon={props.icon} title={props.title} about={props.about}>
      <button type="button" class="button" data-kind="main" onClick={() => props.onAct()}>
        {props.act}
      </button>
    </FullPage>
  );
}

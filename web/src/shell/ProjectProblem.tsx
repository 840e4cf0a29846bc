/** Shows why a project cannot be opened, and the next steps. */
import { Show } from 'solid-js';
import type { Refusal } from '../api/refusal';
import { hrefOf } from '../platform/routes';
import { useStore } from '../state/store_context';
import { FullPage } from './FullPage';

export function ProjectProblem(props: { refusal: Refusal; projectId: string }) {
  const store = useStore();
  const isUnknown = () => props.refusal.more.status === 404 || props.refusal.code.startsWith('PARLOUR-N');
  const about = () =>
    isUnknown() ? 'The address may be wrong, or you are not a member. A member can add you.' : props.refusal.message;
  return (
    <FullPage
      icon="warning"
      title={isUnknown() ? 'Project not found' : 'The project could not be loaded'}
      about={about()}
      code={props.refusal.code}
    >
      <Show when={!isUnknown()}>
        <button
          type="button"
          class="button"
          data-kind="main"
          onClick={() => void store.commands.openProject(props.projectId).catch(() => {})}
        >
          Try again
        </button>
      </Show>
      <a class="button" href={hrefOf({ view: 'home' })}>
        Go to your projects
      </a>
    </FullPage>
  );
}

/** The project of the address cannot be shown: why, and what to do. */
import { Show } from 'solid-js';
import type { Refusal } from '../api/refusal';
import { Icon } from '../parts/Icon';
import { hrefOf } from '../platform/routes';
import { useStore } from '../state/context';
import './PagePlace.css';

export function ProjectProblem(props: { refusal: Refusal; projectId: string }) {
  const store = useStore();
  const isUnknown = () => props.refusal.more.status === 404 || props.refusal.code.startsWith('PARLOUR-N');
  return (
    <main class="page-place">
      <span class="page-mark">
        <Icon name="warning" size={22} />
      </span>
      <h1>{isUnknown() ? 'This project is not here' : 'The project could not be loaded'}</h1>
      <p>
        {isUnknown()
          ? 'It may have another address, or you are not a member of it. Somebody who is can let you in.'
          : props.refusal.message}
      </p>
      <p class="hint">{props.refusal.code}</p>
      <div class="page-acts">
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
          To your projects
        </a>
      </div>
    </main>
  );
}

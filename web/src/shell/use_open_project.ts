/** The project of the route, or the one that was open before settings or search. */
import { route } from '../platform/router';
import { useStore } from '../state/store_context';

export function useOpenProject(): () => string | undefined {
  const store = useStore();
  return () => {
    const here = route();
    return here.view === 'conversation' || here.view === 'project' ? here.projectId : store.snapshot()?.project.id;
  };
}

/** The end of a paged list: a button for more, or an error. */
import { Match, Switch } from 'solid-js';
import { EmptyState } from '../parts/EmptyState';
import { Skeleton } from '../parts/loading/Skeleton';
import type { PagedList } from './paged_list';
import './ListEnd.css';

export function ListEnd(props: { pages: PagedList<unknown>; onMore(): void }) {
  const refusal = () => (props.pages.state === 'failed' ? props.pages.refusal : undefined);
  return (
    <Switch>
      <Match when={refusal()}>
        {(why) => (
          <EmptyState icon="warning" action={{ label: 'Try again', run: () => props.onMore() }}>
            {why().message} ({why().code})
          </EmptyState>
        )}
      </Match>
      <Match when={props.pages.state === 'asking'}>
        <Skeleton label="Loading more" lines={2} />
      </Match>
      <Match when={props.pages.hasMore}>
        <button type="button" class="button list-more" onClick={() => props.onMore()}>
          Show more
        </button>
      </Match>
    </Switch>
  );
}

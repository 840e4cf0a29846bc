/** The search view. The query is part of the address, so that a search can be linked to. */
import { createEffect, createMemo, createSignal, For, Match, on, onCleanup, onMount, Show, Switch } from 'solid-js';
import type { Hit } from '../../api/model';
import { EmptyState } from '../../parts/EmptyState';
import { Icon } from '../../parts/Icon';
import { Skeleton } from '../../parts/loading/Skeleton';
import { go } from '../../platform/router';
import { useStore } from '../../state/store_context';
import { moveFocusIn } from '../move_focus';
import { ViewBar } from '../ViewBar';
import { forgetSearches, recentSearches, rememberSearch } from './recent_searches';
import { SearchHit } from './SearchHit';
import { type SearchState, searchPages } from './search_pages';
import './SearchView.css';

/** Debounce time. */
const PAUSE_MS = 250;

export function SearchView(props: { query: string }) {
  const store = useStore();
  // Waits for a project, and does not search again with every event.
  const query = createMemo(() => (store.snapshot() ? props.query : ''));
  const { found, more } = searchPages(query, store.commands.search);
  let body: HTMLDivElement | undefined;
  return (
    <main class="view search-view">
      <ViewBar title="Search" />
      <div class="view-body">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: arrows only move the focus between links */}
        <div
          class="view-column"
          ref={body}
          onKeyDown={(event) => moveFocusIn(body, '.search-field input, .hit', event)}
        >
          <search>
            <SearchField query={props.query} />
          </search>
          <Results found={found()} query={query()} onMore={more} />
        </div>
      </div>
    </main>
  );
}

function SearchField(props: { query: string }) {
  const [typed, setTyped] = createSignal(props.query);
  let field: HTMLInputElement | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  onMount(() => field?.focus());
  onCleanup(() => clearTimeout(timer));
  // Going back restores the query.
  createEffect(
    on(
      () => props.query,
      (query) => query !== typed().trim() && setTyped(query),
      { defer: true },
    ),
  );
  const search = (replace: boolean) => {
    clearTimeout(timer);
    go({ view: 'search', query: typed().trim() }, { replace });
  };
  return (
    <form
      class="search-field"
      onSubmit={(event) => {
        event.preventDefault();
        search(true);
        rememberSearch(typed());
      }}
    >
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        enterkeyhint="search"
        aria-label="Search messages"
        placeholder="Search messages"
        autocomplete="off"
        maxlength={200}
        value={typed()}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          clearTimeout(timer);
          timer = setTimeout(() => search(true), PAUSE_MS);
        }}
      />
      <Show when={typed()}>
        <button
          type="button"
          class="icon-button"
          aria-label="Clear"
          onClick={() => {
            setTyped('');
            search(true);
            field?.focus();
          }}
        >
          <Icon name="close" size={16} />
        </button>
      </Show>
    </form>
  );
}

function Results(props: { found: SearchState; query: string; onMore(): void }) {
  const hits = (): readonly Hit[] => (props.found.state === 'idle' ? [] : props.found.hits);
  const isEmpty = () => hits().length === 0;
  const failed = () => (props.found.state === 'failed' ? props.found : undefined);
  const next = () => (props.found.state === 'done' ? props.found.next : undefined);
  return (
    <>
      <Show when={!isEmpty()}>
        <ol class="hits" aria-label="Results">
          <For each={hits()}>{(hit) => <SearchHit hit={hit} query={props.query} />}</For>
        </ol>
      </Show>
      <p class="unseen" role="status">
        {resultCountText(props.found)}
      </p>
      <Switch>
        <Match when={props.found.state === 'idle'}>
          <BeforeSearch />
        </Match>
        <Match when={failed()}>
          {(failure) => (
            <EmptyState icon="warning" action={{ label: 'Try again', run: () => props.onMore() }}>
              {failure().refusal.message} ({failure().refusal.code})
            </EmptyState>
          )}
        </Match>
        <Match when={props.found.state === 'asking'}>
          <Skeleton label="Searching" lines={isEmpty() ? 6 : 2} />
        </Match>
        <Match when={isEmpty()}>
          <EmptyState icon="search">No messages match all of these words.</EmptyState>
        </Match>
        <Match when={next()}>
          <button type="button" class="button hits-more" onClick={() => props.onMore()}>
            Show more
          </button>
        </Match>
      </Switch>
    </>
  );
}

/** Returns the announcement for screen readers after a search. */
function resultCountText(found: SearchState): string {
  if (found.state !== 'done') return '';
  if (found.hits.length === 0) return 'No results';
  const count = found.hits.length === 1 ? '1 result' : `${found.hits.length} results`;
  return found.next ? `${count}, and more` : count;
}

function BeforeSearch() {
  const [recent, setRecent] = createSignal(recentSearches());
  return (
    <Show
      when={recent().length > 0}
      fallback={<EmptyState icon="search">Search all messages of this project that you can read.</EmptyState>}
    >
      <section class="recent-searches" aria-labelledby="recent-searches">
        <header>
          <h2 id="recent-searches">Recent</h2>
          <button
            type="button"
            class="button"
            data-kind="quiet"
            onClick={() => {
              forgetSearches();
              setRecent([]);
            }}
          >
            Clear recent searches
          </button>
        </header>
        <For each={recent()}>
          {(query) => (
            <button type="button" class="recent-search" onClick={() => go({ view: 'search', query })}>
              <Icon name="clock" size={16} />
              {query}
            </button>
          )}
        </For>
      </section>
    </Show>
  );
}

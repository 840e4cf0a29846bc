/** Messages that hold all words of a search. */
export function SearchView(props: { query: string }) {
  return <main class="search-view">{props.query}</main>;
}

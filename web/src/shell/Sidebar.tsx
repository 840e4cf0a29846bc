/** The left side: project, search, channels, threads, agents, people, and who is signed in. */
export function Sidebar(props: { onNavigate(): void }) {
  return (
    <nav class="sidebar" aria-label="Workspace">
      <button type="button" onClick={() => props.onNavigate()}>
        Here
      </button>
    </nav>
  );
}

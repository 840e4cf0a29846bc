/** The error page of the application. A reload loses nothing that was typed. */
import './Failure.css';
import { Brand } from './Brand';

export function Failure(props: { error: unknown }) {
  const cause = () => (props.error instanceof Error ? props.error.message : String(props.error));
  return (
    <main class="failure">
      <Brand size={36} />
      <h1>Something went wrong.</h1>
      <p>Your drafts are kept in this browser, and sent messages are on the hub. Reload to continue.</p>
      <button type="button" class="button" data-kind="main" onClick={() => location.reload()}>
        Reload
      </button>
      <details>
        <summary>Details</summary>
        <code>{cause()}</code>
      </details>
    </main>
  );
}

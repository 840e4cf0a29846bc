/** A full page with one message and the next steps. */
import { type JSX, Show } from 'solid-js';
import { Icon, type IconName } from '../parts/Icon';
import { setSidebarOpen } from './sidebar/sidebar_state';
import './FullPage.css';

export function FullPage(props: {
  icon: IconName;
  title: string;
  about: string;
  code?: string;
  /** Buttons and links. */
  children: JSX.Element;
}) {
  return (
    <main class="page-place">
      <button
        type="button"
        class="icon-button page-menu"
        aria-label="Open the sidebar"
        onClick={() => setSidebarOpen(true)}
      >
        <Icon name="menu" size={20} />
      </button>
      <span class="page-mark">
        <Icon name={props.icon} size={22} />
      </span>
      <h1>{props.title}</h1>
      <p>{props.about}</p>
      <Show when={props.code}>{(code) => <p class="hint">{code()}</p>}</Show>
      <div class="page-acts">{props.children}</div>
    </main>
  );
}

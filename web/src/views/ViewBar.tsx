/** The bar of a view that is no conversation: its title, and on phones the way to the sidebar. */
import { Icon } from '../parts/Icon';
import { setSidebarOpen } from '../shell/sidebar_state';
import './view.css';

export function ViewBar(props: { title: string }) {
  return (
    <header class="view-bar">
      <button
        type="button"
        class="icon-button view-menu"
        aria-label="Open the sidebar"
        onClick={() => setSidebarOpen(true)}
      >
        <Icon name="menu" />
      </button>
      <h1>{props.title}</h1>
    </header>
  );
}

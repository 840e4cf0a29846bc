/** The header of a view that is not a conversation; on phones with a sidebar button. */
import { type JSX, onMount } from 'solid-js';
import { Icon } from '../parts/Icon';
import { markReady } from '../platform/ready';
import { setSidebarOpen } from '../shell/sidebar/sidebar_state';
import './view.css';

export function ViewBar(props: {
  title: string;
  /** Actions at the end of the bar. */
  children?: JSX.Element;
}) {
  // There is no conversation to wait for.
  onMount(markReady);
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
      {props.children}
    </header>
  );
}

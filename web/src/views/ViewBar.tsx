/** The bar of a view that is no conversation: its title, and on phones the way to the sidebar. */
import { type JSX, onMount } from 'solid-js';
import { Icon } from '../parts/Icon';
import { markReady } from '../platform/ready';
import { setSidebarOpen } from '../shell/sidebar/sidebar_state';
import './view.css';

export function ViewBar(props: {
  title: string;
  /** What can be done with the whole of it, at the end of the bar. */
  children?: JSX.Element;
}) {
  // No conversation is waited for here.
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

/** Whether the sidebar drawer is open; wide pages always show the sidebar. */
import { createSignal } from 'solid-js';

const [isSidebarOpen, setSidebarOpen] = createSignal(false);

export { isSidebarOpen, setSidebarOpen };

/** Whether the sidebar is open where it is a drawer; wider pages always show it. */
import { createSignal } from 'solid-js';

const [isSidebarOpen, setSidebarOpen] = createSignal(false);

export { isSidebarOpen, setSidebarOpen };

/** Views and panes about inboxes, runs and agents: one file for all, since whoever looks at one looks at others. */
export { AgentView } from './AgentView';
export { InboxView } from './InboxView';
export { RunPane } from './RunPane';
export { RunsView } from './RunsView';
export { TaskPane } from './TaskPane';

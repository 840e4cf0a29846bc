/** Views and panes about inboxes, runs and agents: one file for all, since whoever looks at one looks at others. */
export { AgentView } from './AgentView';
export { InboxView } from './InboxView';
export { RunsView } from './RunsView';
export { WorkPane } from './WorkPane';

/** Views and panes about inboxes, runs and agents: one file for all, since whoever looks at one looks at others. */
export { AgentView } from './agent/AgentView';
export { InboxView } from './inbox/InboxView';
export { RunsView } from './run/RunsView';
export { WorkPane } from './WorkPane';

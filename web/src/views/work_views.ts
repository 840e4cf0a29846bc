/** Views and panes about inboxes, runs and agents in one bundle: readers use them together. */
export { AgentView } from './agent/AgentView';
export { InboxView } from './inbox/InboxView';
export { RunsView } from './run/RunsView';
export { WorkPane } from './WorkPane';

/** Returns the route of a message; a message in a thread opens the thread. */
import type { Message } from '../api/model';
import type { Route } from './routes';

export function messageRoute({ project_id, to, id }: Pick<Message, 'project_id' | 'to' | 'id'>): Route {
  return { view: 'conversation', projectId: project_id, conversationId: to, messageId: id };
}

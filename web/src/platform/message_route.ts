/** The address of a message; one in a thread is shown in the thread. */
import type { Message } from '../api/model';
import type { Route } from './routes';

export function messageRoute({ project_id, to, id }: Pick<Message, 'project_id' | 'to' | 'id'>): Route {
  return { view: 'conversation', projectId: project_id, conversationId: to, messageId: id };
}

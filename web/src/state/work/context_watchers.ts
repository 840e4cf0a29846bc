/** Who wants to hear of what may change what an agent would see. */
import { conversationOfEvent, type LogEvent } from '../../api/events';
import type { Snapshot } from '../../api/model';
import type { ContextNews } from '../contract';
import { readersOf } from '../selectors';

interface Follower {
  readonly agentId: string;
  onNews(news: ContextNews): void;
}

export class ContextFollowers {
  readonly #all = new Set<Follower>();

  add(agentId: string, onNews: Follower['onNews'], stop: AbortSignal): void {
    const follower = { agentId, onNews };
    if (stop.aborted) return;
    this.#all.add(follower);
    stop.addEventListener('abort', () => this.#all.delete(follower), { once: true });
  }

  /** Takes an event of any project. */
  take(event: LogEvent, snapshot: Snapshot | undefined): void {
    if (this.#all.size === 0 || !snapshot || event.project_id !== snapshot.project.id) return;
    for (const one of this.#all) if (mayChangeContext(snapshot, event, one.agentId)) one.onNews({ event });
  }

  /** Events were missed. */
  missed(): void {
    for (const one of this.#all) one.onNews('missed');
  }
}

/**
 * Whether what an agent would see may be another one after this. Pure. Says yes in doubt: events of a newer hub count,
 * and asking once too often costs little.
 */
export function mayChangeContext(snapshot: Snapshot, event: LogEvent, agentId: string): boolean {
  switch (event.name) {
    // No model is told of these.
    case 'messaging.reacted':
    case 'messaging.unreacted':
      return false;
    case 'messaging.read':
      return event.data.reader === agentId;
    case 'messaging.delivered':
      return event.data.deliveries.some((one) => one.recipient === agentId);
    case 'messaging.posted':
      // A text that is being written is not shown before it is finished.
      if (event.data.state === 'streaming') return false;
  }
  const conversation = conversationOfEvent(event);
  return conversation === undefined || readersOf(snapshot, conversation).includes(agentId);
}

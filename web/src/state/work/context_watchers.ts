/** Watchers of changes that may affect the context of an agent. */
import { conversationOfEvent, type LogEvent } from '../../api/events';
import type { Snapshot } from '../../api/model';
import type { ContextChange } from '../contract';
import { readersOf } from '../selectors';

interface ContextWatcher {
  readonly agentId: string;
  onChange(news: ContextChange): void;
}

export class ContextWatchers {
  readonly #all = new Set<ContextWatcher>();

  add(agentId: string, onChange: ContextWatcher['onChange'], stop: AbortSignal): void {
    const follower = { agentId, onChange };
    if (stop.aborted) return;
    this.#all.add(follower);
    stop.addEventListener('abort', () => this.#all.delete(follower), { once: true });
  }

  take(event: LogEvent, snapshot: Snapshot | undefined): void {
    if (this.#all.size === 0 || !snapshot || event.project_id !== snapshot.project.id) return;
    for (const one of this.#all) if (mayChangeContext(snapshot, event, one.agentId)) one.onChange({ event });
  }

  missed(): void {
    for (const one of this.#all) one.onChange('missed');
  }
}

/**
 * Whether an event may change the context of an agent. Pure. True when in doubt: events of a newer hub count, and an
 * unnecessary request is cheap.
 */
export function mayChangeContext(snapshot: Snapshot, event: LogEvent, agentId: string): boolean {
  switch (event.name) {
    // Reactions are not part of a context.
    case 'messaging.reacted':
    case 'messaging.unreacted':
      return false;
    case 'messaging.read':
      return event.data.reader === agentId;
    case 'messaging.delivered':
      return event.data.deliveries.some((one) => one.recipient === agentId);
    case 'messaging.posted':
      // A streaming message is not part of a context.
      if (event.data.state === 'streaming') return false;
  }
  const conversation = conversationOfEvent(event);
  return conversation === undefined || readersOf(snapshot, conversation).includes(agentId);
}

/** A timeline that also knows one message outside of what it has loaded, such as the root of an old thread. */
import type { Message } from '../../api/model';
import type { Timeline } from '../../state/contract';

export function withMessage(timeline: Timeline, extra: () => Message | undefined): Timeline {
  const message = (id: string) => timeline.message(id) ?? (extra()?.id === id ? extra() : undefined);
  return {
    conversationId: timeline.conversationId,
    loading: timeline.loading,
    failed: timeline.failed,
    ids: timeline.ids,
    message,
    outgoing: (id) => timeline.outgoing(id),
    growing: (id) => timeline.growing(id),
    steps: (id) => (timeline.message(id) ? timeline.steps(id) : (message(id)?.steps ?? [])),
    older: timeline.older,
    newer: timeline.newer,
    loadOlder: () => timeline.loadOlder(),
    loadNewer: () => timeline.loadNewer(),
    loadAround: (id) => timeline.loadAround(id),
    loadNewest: () => timeline.loadNewest(),
    reload: () => timeline.reload(),
    readAtOpening: timeline.readAtOpening,
    open: () => timeline.open(),
  };
}

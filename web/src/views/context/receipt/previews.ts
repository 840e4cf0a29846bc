/** The words of messages that a receipt only names: read when their lines come into sight, a few at a time, and kept for a while. */
import { createContext, onCleanup, useContext } from 'solid-js';
import type { Commands, ContextChange } from '../../../state/contract';
import { RecordCache } from '../../../state/record_cache';

export interface Previews {
  /** A signal: one line of a message without its secrets, as soon as it is known. Looking at it has it read. */
  of(messageId: string): string | undefined;
  /** Calls back once, when somebody can see the element. */
  whenInSight(element: Element, act: () => void): void;
  /** What was changed is read again by whoever looks at it. */
  take(news: ContextChange): void;
}

const PreviewsContext = createContext<Previews>();
export const PreviewsProvider = PreviewsContext.Provider;

/** Undefined where nobody provides them: then there are no words. */
export function usePreviews(): Previews | undefined {
  return useContext(PreviewsContext);
}

export function createPreviews({ loadPreview }: Pick<Commands, 'loadPreview'>): Previews {
  const shelf = new RecordCache<string>(async (id) => (await loadPreview(id)) || undefined);
  const acts = new Map<Element, () => void>();
  const observer = new IntersectionObserver((entries) => {
    for (const { target } of entries.filter((entry) => entry.isIntersecting)) {
      observer.unobserve(target);
      acts.get(target)?.();
      acts.delete(target);
    }
  });
  onCleanup(() => observer.disconnect());
  return {
    of: (id) => shelf.get(id),
    whenInSight(element, act) {
      acts.set(element, act);
      observer.observe(element);
      onCleanup(() => {
        observer.unobserve(element);
        acts.delete(element);
      });
    },
    take(news) {
      if (news === 'missed') shelf.refreshAll();
      else if (news.event.name === 'messaging.edited' || news.event.name === 'messaging.removed') {
        shelf.refresh(news.event.data.id);
      }
    },
  };
}

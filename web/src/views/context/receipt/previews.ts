/** Previews of messages that a receipt only names: loaded when visible, a few at a time. */
import { createContext, onCleanup, useContext } from 'solid-js';
import type { Commands, ContextChange } from '../../../state/contract';
import { RecordCache } from '../../../state/record_cache';

export interface Previews {
  /** A signal: a redacted one-line preview. Reading it loads it. */
  of(messageId: string): string | undefined;
  /** Calls back once, when the element is visible. */
  whenVisible(element: Element, act: () => void): void;
  /** Changed messages are loaded again on the next read. */
  take(news: ContextChange): void;
}

const PreviewsContext = createContext<Previews>();
export const PreviewsProvider = PreviewsContext.Provider;

/** Undefined without a provider: then there are no previews. */
export function usePreviews(): Previews | undefined {
  return useContext(PreviewsContext);
}

export function createPreviews({ loadPreview }: Pick<Commands, 'loadPreview'>): Previews {
  const cache = new RecordCache<string>(async (id) => (await loadPreview(id)) || undefined);
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
    of: (id) => cache.get(id),
    whenVisible(element, act) {
      acts.set(element, act);
      observer.observe(element);
      onCleanup(() => {
        observer.unobserve(element);
        acts.delete(element);
      });
    },
    take(news) {
      if (news === 'missed') cache.refreshAll();
      else if (news.event.name === 'messaging.edited' || news.event.name === 'messaging.removed') {
        cache.refresh(news.event.data.id);
      }
    },
  };
}

/** Shows a toast when the connection is lost and when it is back; short losses are ignored. */
import { createEffect, createMemo, on, onCleanup } from 'solid-js';
import { toast } from '../../parts/toast/Toast';
import type { Connection } from '../../state/contract';

const TOAST_DELAY_MS = 1_000;
const TOAST_KEY = 'connection';

export function toastConnectionChanges(connection: () => Connection): void {
  let wasLive = false;
  let isReported = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  // A memo: another attempt within one loss is not a new loss.
  const isLive = createMemo(() => connection().state === 'live');
  createEffect(
    on(isLive, (live) => {
      clearTimeout(timer);
      if (live) {
        if (isReported) toast('Connected again.', { key: TOAST_KEY });
        isReported = false;
        wasLive = true;
      } else if (wasLive) {
        timer = setTimeout(() => {
          isReported = true;
          const text = 'Connection lost. Your messages are kept and sent later.';
          toast(text, { key: TOAST_KEY, kind: 'warning', ms: 0 });
        }, TOAST_DELAY_MS);
      }
    }),
  );
  onCleanup(() => clearTimeout(timer));
}

/** Tells when the connection is lost and when it is back, but not about what mends itself within a second. */
import { createEffect, createMemo, on, onCleanup } from 'solid-js';
import { toast } from '../../parts/Toast';
import type { Connection } from '../../state/contract';

const PATIENCE_MS = 1_000;
const TOAST_KEY = 'connection';

/** Follows the connection until the owner is gone. */
export function toastConnectionChanges(connection: () => Connection): void {
  let wasLive = false;
  let isTold = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  // A memo: a further try within one loss is no new loss.
  const isLive = createMemo(() => connection().state === 'live');
  createEffect(
    on(isLive, (live) => {
      clearTimeout(timer);
      if (live) {
        if (isTold) toast('Connected again. Nothing was missed.', { key: TOAST_KEY });
        isTold = false;
        wasLive = true;
      } else if (wasLive) {
        timer = setTimeout(() => {
          isTold = true;
          const text = 'The connection is lost. What you write is kept and sent later.';
          toast(text, { key: TOAST_KEY, kind: 'warning', ms: 0 });
        }, PATIENCE_MS);
      }
    }),
  );
  onCleanup(() => clearTimeout(timer));
}

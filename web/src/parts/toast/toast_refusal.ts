/** Shows refusals as toasts. */
import { toRefusal } from '../../api/refusal';
import { toast } from './Toast';

/** Returns "Not allowed. (PARLOUR-A02)"; without a code when the page itself is the cause. */
export function refusalText(thrown: unknown): string {
  const refusal = toRefusal(thrown);
  return refusal.code.startsWith('PARLOUR-') ? `${refusal.message} (${refusal.code})` : refusal.message;
}

/** Awaits a request and shows a refusal as a toast. Returns whether it succeeded. */
export async function toastOnRefusal(request: Promise<unknown>): Promise<boolean> {
  try {
    await request;
    return true;
  } catch (thrown) {
    toast(refusalText(thrown), { kind: 'danger' });
    return false;
  }
}

/** Says why the hub did not do what was asked, where no better place for the words is. */
import { toRefusal } from '../api/refusal';
import { toast } from './Toast';

/** "Not allowed. (PARLOUR-A02)"; a sentence alone when the page itself is the cause. */
export function refusalText(thrown: unknown): string {
  const refusal = toRefusal(thrown);
  return refusal.code.startsWith('PARLOUR-') ? `${refusal.message} (${refusal.code})` : refusal.message;
}

/** Waits for a wish, and shows a refusal as a toast. Answers whether it was done. */
export async function toastOnRefusal(wish: Promise<unknown>): Promise<boolean> {
  try {
    await wish;
    return true;
  } catch (thrown) {
    toast(refusalText(thrown), { kind: 'danger' });
    return false;
  }
}

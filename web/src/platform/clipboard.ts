/** How long a copy button shows that it copied. */
export const COPIED_LABEL_MS = 2_000;

/** Copies a text; returns false when the browser forbids it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages without TLS have no clipboard API; a hub in a local network is often such a page.
    return copySelected(text);
  }
}

function copySelected(text: string): boolean {
  const before = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'unseen';
  // Inside an open dialog, because everything outside is inert.
  (before?.closest('dialog') ?? document.body).append(field);
  field.select();
  const done = typeof document.execCommand === 'function' && document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return done;
}

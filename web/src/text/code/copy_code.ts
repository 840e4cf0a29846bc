/** The copy button of a code block. */
import { announce } from '../../platform/announce';
import { COPIED_LABEL_MS, copyText } from '../../platform/clipboard';

/** Copies the code as written, and shows whether that worked. */
export async function copyCode(button: HTMLButtonElement): Promise<void> {
  const code = button.closest('.code-card')?.querySelector('code')?.textContent ?? '';
  const isCopied = await copyText(code);
  const label = isCopied ? 'Copied' : 'Not copied';
  button.textContent = label;
  announce(isCopied ? 'Code copied' : 'The browser blocked copying');
  setTimeout(() => {
    if (button.textContent === label) button.textContent = 'Copy';
  }, COPIED_LABEL_MS);
}

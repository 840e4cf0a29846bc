/** The button over a block of code. */
import { announce } from '../../platform/announce';

const SAID_MS = 2000;

/** Copies the code exactly as it was written, and says whether that worked. */
export async function copyCode(button: HTMLButtonElement): Promise<void> {
  const code = button.closest('.code-card')?.querySelector('code')?.textContent ?? '';
  const isCopied = await navigator.clipboard.writeText(code).then(
    () => true,
    () => false,
  );
  const said = isCopied ? 'Copied' : 'Not copied';
  button.textContent = said;
  announce(isCopied ? 'Code copied' : 'The browser did not let the code be copied');
  setTimeout(() => {
    if (button.textContent === said) button.textContent = 'Copy';
  }, SAID_MS);
}

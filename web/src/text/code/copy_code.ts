/** The copy button of a code block. */
import { announce } from '../../platform/announce';

const SAID_MS = 2000;

/** Copies the code as written, and shows whether that worked. */
export async function copyCode(button: HTMLButtonElement): Promise<void> {
  const code = button.closest('.code-card')?.querySelector('code')?.textContent ?? '';
  const isCopied = await navigator.clipboard.writeText(code).then(
    () => true,
    () => false,
  );
  const said = isCopied ? 'Copied' : 'Not copied';
  button.textContent = said;
  announce(isCopied ? 'Code copied' : 'The browser blocked copying');
  setTimeout(() => {
    if (button.textContent === said) button.textContent = 'Copy';
  }, SAID_MS);
}

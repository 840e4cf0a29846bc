import { cleanup, render } from '@solidjs/testing-library';
import { afterEach, expect, test } from 'vitest';
import { Refusal, unreachable } from '../../api/refusal';
import { Toasts } from './Toast';
import { refusalText, toastOnRefusal } from './toast_refusal';

afterEach(cleanup);

test('a refusal of the hub has its code, a refusal of the page has none', () => {
  expect(refusalText(new Refusal('PARLOUR-A02', 'Not allowed.'))).toBe('Not allowed. (PARLOUR-A02)');
  expect(refusalText(unreachable())).not.toContain('UNREACHABLE');
  expect(refusalText(new Error('a bug'))).toContain('a bug');
});

test('a refused request shows a toast, a successful one shows none', async () => {
  render(() => <Toasts />);
  const texts = () => [...document.querySelectorAll('.toast-text')].map((one) => one.textContent);
  expect(await toastOnRefusal(Promise.resolve())).toBe(true);
  expect(texts()).toEqual([]);
  expect(await toastOnRefusal(Promise.reject(new Refusal('PARLOUR-A02', 'Not allowed.')))).toBe(false);
  expect(texts()).toEqual(['Not allowed. (PARLOUR-A02)']);
});

import { cleanup, render } from '@solidjs/testing-library';
import { afterEach, expect, test } from 'vitest';
import { KeyCaps } from './KeyCaps';

afterEach(cleanup);

test('keys that are pressed together are beside each other', () => {
  const { container } = render(() => <KeyCaps keys="Alt+Shift+ArrowUp" />);
  expect([...container.querySelectorAll('kbd')].at(-1)?.textContent).toBe('↑');
  expect(container.querySelectorAll('kbd')).toHaveLength(3);
  expect(container.textContent).not.toContain('then');
});

test('keys that are pressed one after the other have "then" between them', () => {
  const { container } = render(() => <KeyCaps keys="G N" />);
  expect(container.textContent).toBe('GthenN');
});

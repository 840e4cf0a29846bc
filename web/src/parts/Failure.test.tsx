import { cleanup, render, screen } from '@solidjs/testing-library';
import { afterEach, expect, test } from 'vitest';
import { Failure } from './Failure';

afterEach(cleanup);

test.each([
  [new Error('a broken row'), 'a broken row'],
  ['only a text', 'only a text'],
])('the error page of %s shows the cause and a reload button', (error, cause) => {
  render(() => <Failure error={error} />);
  expect(document.querySelector('details code')?.textContent).toBe(cause);
  expect(screen.getByRole('button').textContent).toBe('Reload');
});

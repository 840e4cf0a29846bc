import { cleanup, render } from '@solidjs/testing-library';
import { afterEach, expect, test } from 'vitest';
import { dateTimeLabel, dayKey, dayLabel, Time } from './Time';

const at = (text: string) => new Date(text).getTime();
const NOW = at('2026-03-02T09:12:00');

afterEach(cleanup);

test('days have relative names', () => {
  expect(dayLabel(at('2026-03-02T00:00:01'), NOW)).toBe('Today');
  expect(dayLabel(at('2026-03-01T23:59:59'), NOW)).toBe('Yesterday');
  expect(dayLabel(at('2026-02-20T12:00:00'), NOW)).toContain('20');
  expect(dayLabel(at('2025-12-31T12:00:00'), NOW)).toContain('2025');
});

test('a time is shown as clock time today, as a date before, with the year when it differs', () => {
  expect(dateTimeLabel(at('2026-03-02T08:05:00'), NOW)).toMatch(/8:05/);
  expect(dateTimeLabel(at('2026-02-20T08:05:00'), NOW)).not.toMatch(/8:05|2026/);
  expect(dateTimeLabel(at('2025-02-20T08:05:00'), NOW)).toContain('2025');
});

test('two times of one day have one key', () => {
  expect(dayKey(at('2026-03-02T00:00:00'))).toBe(dayKey(NOW));
  expect(dayKey(at('2026-03-01T23:59:59'))).not.toBe(dayKey(NOW));
});

test('the datetime attribute has the full time', () => {
  const { container } = render(() => <Time at="2026-03-02T09:12:00.000Z" />);
  expect(container.querySelector('time')?.dateTime).toBe('2026-03-02T09:12:00.000Z');
});

import { describe, expect, it } from 'vitest';
import { aMessage } from '../state/testing/fixtures';
import { threadTitle } from './thread_title';

describe('the title of a thread', () => {
  it('is the first line of its first message, without marks and not too long', () => {
    const body = '\n## Resume **after** an epoch change\nIt fails.';
    expect(threadTitle(aMessage({ body }))).toBe('Resume after an epoch change');
    expect(threadTitle(aMessage({ body: '```\ncargo test\n```' }))).toBe('cargo test');
    expect(threadTitle(aMessage({ body: 'word '.repeat(40) })).length).toBeLessThanOrEqual(60);
  });

  it('says something too when there is no text', () => {
    expect(threadTitle(undefined)).toBe('Thread');
    expect(threadTitle(aMessage({ body: '' }))).toBe('Thread below a message of Mara');
    expect(threadTitle(aMessage({ removed_at: '2026-03-02T09:12:00.000Z' }))).toBe('Thread below a removed message');
  });
});

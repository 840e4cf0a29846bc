import { describe, expect, it } from 'vitest';
import { Refusal } from '../api/refusal';
import { EMPTY_DRAFT } from '../state/contract';
import { fakeStore } from '../state/testing/fixtures';
import type { Upload } from './attach/uploads';
import { readinessOf, sendDraft } from './send_draft';

const FILE = { filename: 'a.txt', media_type: 'text/plain', size: 1, artifact_id: 'art_1' };
const base = { key: 1, file: new File(['x'], 'a.txt'), preview: undefined };
const RUNNING: Upload = { ...base, state: 'running', share: 0.2 };
const FAILED: Upload = { ...base, state: 'failed', words: 'no', mayRetry: true };

describe('readinessOf', () => {
  it('needs a text or a file', () => {
    expect(readinessOf(EMPTY_DRAFT, [])).toBe('empty');
    expect(readinessOf({ ...EMPTY_DRAFT, text: ' \n' }, [])).toBe('empty');
    expect(readinessOf({ ...EMPTY_DRAFT, text: 'x' }, [])).toBe('ready');
    expect(readinessOf({ ...EMPTY_DRAFT, attachments: [FILE] }, [])).toBe('ready');
  });

  it('waits for files, and stops at one that failed and at too long a text', () => {
    expect(readinessOf(EMPTY_DRAFT, [RUNNING])).toBe('uploading');
    expect(readinessOf(EMPTY_DRAFT, [RUNNING, FAILED])).toBe('file_failed');
    expect(readinessOf({ ...EMPTY_DRAFT, text: 'x'.repeat(65_537) }, [RUNNING])).toBe('too_long');
  });
});

describe('sendDraft', () => {
  it('trims blank lines around the text, but keeps indentation', () => {
    const store = fakeStore();
    store.commands.setDraft('chn_1', { ...EMPTY_DRAFT, text: '\n  \n    code\n\n' });
    sendDraft(store, 'chn_1');
    expect(store.asked.find((one) => one.name === 'send')?.with).toMatchObject(['chn_1', { text: '    code' }]);
    expect(store.draft('chn_1')).toEqual(EMPTY_DRAFT);
  });

  it('keeps the draft when the outbox is full', () => {
    const send = () => {
      throw new Refusal('PAGE', '500 messages are already waiting.');
    };
    const store = fakeStore({}, { send });
    store.commands.setDraft('chn_1', { ...EMPTY_DRAFT, text: 'Hello' });
    sendDraft(store, 'chn_1');
    expect(store.draft('chn_1').text).toBe('Hello');
  });
});

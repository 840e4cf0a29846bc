import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Attachment } from '../../api/model';
import { unreachable } from '../../api/refusal';
import type { Commands } from '../../state/contract';
import { fakeStore } from '../../state/testing/fixtures';
import { FILE_BYTES_MAX } from '../limits';
import { uploadsOf } from './uploads';

const ID = 'chn_general';

/** A hub that accepts uploads when the test says so. */
function slowHub() {
  const running: {
    file: File;
    signal: AbortSignal;
    progress(share: number): void;
    take(): void;
    fail(why: unknown): void;
  }[] = [];
  const upload: Commands['upload'] = (_, file, options) =>
    new Promise<Attachment>((resolve, reject) => {
      const signal = options?.signal as AbortSignal;
      const take = () =>
        resolve({ filename: file.name, media_type: file.type, size: file.size, artifact_id: `art_${file.name}` });
      signal.addEventListener('abort', () => reject(new DOMException('stopped', 'AbortError')));
      running.push({ file, signal, progress: (share) => options?.onProgress?.(share), take, fail: reject });
    });
  const store = fakeStore({}, { upload });
  return { store, uploads: uploadsOf(store), running, sent: () => store.asked.filter((one) => one.name === 'send') };
}

function picture(name: string): File {
  return new File(['x'], name, { type: 'image/png' });
}

function large(name: string): File {
  const file = new File(['x'], name);
  Object.defineProperty(file, 'size', { value: FILE_BYTES_MAX + 1 });
  return file;
}

const settled = () => new Promise((resolve) => queueMicrotask(() => queueMicrotask(() => resolve(undefined))));

beforeEach(() => {
  URL.createObjectURL = vi.fn(() => 'blob:picture');
  URL.revokeObjectURL = vi.fn();
});

it('puts a file that has arrived into the draft of its conversation', async () => {
  const { store, uploads, running } = slowHub();
  uploads.add(ID, [picture('a.png')]);
  expect(uploads.of(ID)).toMatchObject([{ state: 'running', share: 0, preview: 'blob:picture' }]);
  running[0]?.progress(0.5);
  expect(uploads.of(ID)).toMatchObject([{ state: 'running', share: 0.5 }]);
  running[0]?.take();
  await settled();
  expect(uploads.of(ID)).toEqual([]);
  expect(store.draft(ID).attachments).toMatchObject([{ artifact_id: 'art_a.png' }]);
});

it('uploads three at once, the others after them', async () => {
  const { uploads, running } = slowHub();
  uploads.add(ID, ['a', 'b', 'c', 'd'].map(picture));
  expect(running.map((one) => one.file.name)).toEqual(['a', 'b', 'c']);
  running[1]?.take();
  await settled();
  expect(running.map((one) => one.file.name)).toEqual(['a', 'b', 'c', 'd']);
});

it('refuses a file that is too large before anything is uploaded, and says the limit', () => {
  const { uploads, running } = slowHub();
  uploads.add(ID, [large('film.mp4')]);
  expect(running).toEqual([]);
  expect(uploads.of(ID)).toMatchObject([
    { state: 'failed', mayRetry: false, words: expect.stringContaining('The limit is 50 MB') },
  ]);
});

it('accepts 20 files and returns how many were left out', () => {
  const { uploads } = slowHub();
  expect(
    uploads.add(
      ID,
      Array.from({ length: 22 }, (_, number) => picture(`${number}.png`)),
    ),
  ).toBe(2);
  expect(uploads.of(ID)).toHaveLength(20);
  expect(uploads.add(ID, [picture('more.png')])).toBe(1);
});

it('drops a removed upload and revokes its preview', async () => {
  const { store, uploads, running } = slowHub();
  uploads.add(ID, [picture('a.png')]);
  uploads.remove(ID, uploads.of(ID)[0]?.key ?? 0);
  await settled();
  expect(running[0]?.signal.aborted).toBe(true);
  expect(uploads.of(ID)).toEqual([]);
  expect(store.draft(ID).attachments).toEqual([]);
  expect(URL.revokeObjectURL).toHaveBeenCalledWith('blob:picture');
});

it('keeps a failed file with its reason until it is tried again', async () => {
  const { store, uploads, running } = slowHub();
  uploads.add(ID, [picture('a.png')]);
  running[0]?.fail(unreachable());
  await settled();
  expect(uploads.of(ID)).toMatchObject([
    {
      state: 'failed',
      mayRetry: true,
      words: 'Not uploaded. The hub is not responding. Try again.',
    },
  ]);
  uploads.retry(ID, uploads.of(ID)[0]?.key ?? 0);
  running[1]?.take();
  await settled();
  expect(store.draft(ID).attachments).toHaveLength(1);
});

describe('a message that waits for its files', () => {
  function waiting(names: string[]) {
    const hub = slowHub();
    hub.store.commands.setDraft(ID, { ...hub.store.draft(ID), text: 'See these' });
    hub.uploads.add(ID, names.map(picture));
    hub.uploads.setSendsWhenDone(ID, true);
    return hub;
  }

  it('is sent when the last one has arrived', async () => {
    const { running, sent, uploads, store } = waiting(['a', 'b']);
    running[0]?.take();
    await settled();
    expect(sent()).toEqual([]);
    running[1]?.take();
    await settled();
    expect(sent()).toMatchObject([{ with: [ID, { text: 'See these', attachments: [{}, {}] }] }]);
    expect(uploads.sendsWhenDone(ID)).toBe(false);
    expect(store.draft(ID).text).toBe('');
  });

  it('is not sent without one that failed', async () => {
    const { running, sent, uploads } = waiting(['a', 'b']);
    running[0]?.fail(unreachable());
    running[1]?.take();
    await settled();
    expect(sent()).toEqual([]);
    expect(uploads.sendsWhenDone(ID)).toBe(false);
  });

  it('is sent without a removed file', async () => {
    const { running, sent, uploads } = waiting(['a', 'b']);
    uploads.remove(ID, uploads.of(ID)[0]?.key ?? 0);
    await settled();
    running[1]?.take();
    await settled();
    expect(sent()).toMatchObject([{ with: [ID, { attachments: [{ filename: 'b' }] }] }]);
  });

  it('is not sent when its only file is removed', () => {
    const { sent, uploads } = waiting(['a']);
    uploads.remove(ID, uploads.of(ID)[0]?.key ?? 0);
    expect(sent()).toEqual([]);
    expect(uploads.sendsWhenDone(ID)).toBe(false);
  });
});

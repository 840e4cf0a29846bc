import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Refusal } from './refusal';
import { uploadFile } from './upload';

/** A request that the test controls. */
class FakeRequest {
  static last: FakeRequest;
  upload: { onprogress?: (step: { loaded: number; total: number }) => void } = {};
  onload = () => {};
  onerror = () => {};
  onabort = () => {};
  status = 0;
  responseText = '';
  opened: unknown[] = [];
  headers: Record<string, string> = {};
  sent: unknown;
  constructor() {
    FakeRequest.last = this;
  }
  open = (...given: unknown[]) => {
    this.opened = given;
  };
  setRequestHeader = (name: string, value: string) => {
    this.headers[name] = value;
  };
  send = (body: unknown) => {
    this.sent = body;
  };
  abort = () => this.onabort();
  answer(status: number, body: unknown) {
    this.status = status;
    this.responseText = JSON.stringify(body);
    this.onload();
  }
}

const place = { projectId: 'prj_1', conversationId: 'chn_1' };
const file = new File(['abc'], 'a b.txt', { type: 'text/plain' });
const refused = (upload: Promise<unknown>) => upload.then(undefined, (thrown) => (thrown as Refusal).code);

describe('an upload', () => {
  beforeEach(() => vi.stubGlobal('XMLHttpRequest', FakeRequest));
  afterEach(() => vi.unstubAllGlobals());

  it('sends the file with name, type and conversation, and returns the attachment', async () => {
    const upload = uploadFile(place, file);
    const { last } = FakeRequest;
    expect(last.opened).toEqual(['POST', '/artifacts?project_id=prj_1&filename=a+b.txt&conversation_id=chn_1']);
    expect([last.headers['Content-Type'], last.sent]).toEqual(['text/plain', file]);
    last.answer(201, { id: 'art_1', filename: 'a b.txt', media_type: 'text/plain', size: 3, sha256: 'x' });
    expect(await upload).toEqual({ filename: 'a b.txt', media_type: 'text/plain', size: 3, artifact_id: 'art_1' });
  });

  it('reports its progress as a share', () => {
    const shares: number[] = [];
    void uploadFile(place, file, { onProgress: (share) => shares.push(share) });
    FakeRequest.last.upload.onprogress?.({ loaded: 1, total: 4 });
    FakeRequest.last.upload.onprogress?.({ loaded: 0, total: 0 });
    expect(shares).toEqual([0.25, 0]);
  });

  it('reports the refusal of the hub, or an unreachable hub', async () => {
    const large = refused(uploadFile(place, file));
    FakeRequest.last.answer(413, { code: 'PARLOUR-I07', detail: 'too large' });
    const lost = refused(uploadFile(place, file));
    FakeRequest.last.onerror();
    expect([await large, await lost]).toEqual(['PARLOUR-I07', 'UNREACHABLE']);
  });

  it('can be cancelled, also before it starts', async () => {
    const stop = new AbortController();
    const upload = refused(uploadFile(place, file, { signal: stop.signal }));
    stop.abort();
    expect(await upload).toBe('STOPPED');
    expect(await refused(uploadFile(place, file, { signal: stop.signal }))).toBe('STOPPED');
  });
});

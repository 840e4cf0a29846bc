/** File uploads. They use `XMLHttpRequest`, because `fetch` does not report progress. */
import { pathWith } from './client';
import type { Artifact, Attachment, Problem } from './model';
import { Refusal, refusalOf, unreachable } from './refusal';

export interface UploadOptions {
  readonly onProgress?: (share: number) => void;
  readonly signal?: AbortSignal;
}

/** Code of the refusal when the reader has cancelled an upload. */
export const STOPPED = 'STOPPED';

export interface Destination {
  readonly projectId: string;
  readonly conversationId: string;
}

/** Uploads a file and returns it as an attachment of a message. */
export function uploadFile(to: Destination, file: File, options: UploadOptions = {}): Promise<Attachment> {
  const place = { project_id: to.projectId, filename: file.name || 'file', conversation_id: to.conversationId };
  return new Promise((resolve, reject) => {
    if (options.signal?.aborted) return reject(stopped());
    const request = new XMLHttpRequest();
    request.open('POST', pathWith('/artifacts', place));
    request.setRequestHeader('Content-Type', file.type || 'application/octet-stream');
    request.upload.onprogress = (step) => options.onProgress?.(step.total > 0 ? step.loaded / step.total : 0);
    request.onload = () => {
      const answer = read(request.responseText);
      if (request.status === 201 || request.status === 200) resolve(attachmentOf(answer as Artifact));
      else reject(refusalOf(request.status, answer as Partial<Problem> | undefined));
    };
    request.onerror = () => reject(unreachable());
    request.onabort = () => reject(stopped());
    options.signal?.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}

function attachmentOf({ id, filename, media_type, size }: Artifact): Attachment {
  return { filename, media_type, size, artifact_id: id };
}

function stopped(): Refusal {
  return new Refusal(STOPPED, 'The upload was cancelled.');
}

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Uploads of files: the one kind of request whose progress people want to see, which `fetch` does not tell. */
import { pathWith } from './client';
import type { Artifact, Attachment, Problem } from './model';
import { Refusal, refusalOf, unreachable } from './refusal';

export interface UploadOptions {
  readonly onProgress?: (share: number) => void;
  readonly signal?: AbortSignal;
}

/** The code of a refusal that the reader has made: the upload was taken back. */
export const STOPPED = 'STOPPED';

/** Where a file is to go. */
export interface Destination {
  readonly projectId: string;
  readonly conversationId: string;
}

/** Sends a file to the hub and answers how a message carries it. */
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
  return new Refusal(STOPPED, 'The upload was stopped.');
}

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

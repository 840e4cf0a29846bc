/** Small pictures of what is attached: from this browser while it has them, else from the hub. */
import type { Attachment } from '../../api/model';

/** What browsers show as a picture. Others, also drawings that could hold a program, are shown as files. */
const PICTURES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);

/** Addresses of pictures in this browser, by artifact. Each holds its file in memory, so few are kept. */
const kept = new Map<string, string>();
const PREVIEWS_MAX = 60;

export function isPicture(mediaType: string): boolean {
  return PICTURES.has(mediaType);
}

/** An address for a file of this browser; whoever asks gives it to `keepPreview` or revokes it. */
export function previewUrl(file: File): string | undefined {
  return isPicture(file.type) ? URL.createObjectURL(file) : undefined;
}

export function keepPreview(attachment: Attachment, url: string): void {
  // The same file attached twice is one artifact.
  forgetPreview(attachment);
  if (attachment.artifact_id && kept.size < PREVIEWS_MAX) kept.set(attachment.artifact_id, url);
  else URL.revokeObjectURL(url);
}

export function forgetPreview(attachment: Attachment): void {
  const id = attachment.artifact_id ?? '';
  const url = kept.get(id);
  if (url !== undefined) URL.revokeObjectURL(url);
  kept.delete(id);
}

/** Where the picture of an attachment is; undefined when it is none. */
export function pictureOf(attachment: Attachment): string | undefined {
  if (!attachment.artifact_id || !isPicture(attachment.media_type)) return undefined;
  return kept.get(attachment.artifact_id) ?? `/artifacts/${encodeURIComponent(attachment.artifact_id)}/content`;
}

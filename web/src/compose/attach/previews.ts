/** Preview images of attachments: from this browser while it has them, else from the hub. */
import type { Attachment } from '../../api/model';

/** Image types that browsers show safely. SVG can contain scripts and is shown as a file. */
const PICTURES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);

/** Object URLs by artifact. Each keeps its file in memory, so few are kept. */
const urls = new Map<string, string>();
const PREVIEWS_MAX = 60;

export function isPicture(mediaType: string): boolean {
  return PICTURES.has(mediaType);
}

/** Creates an object URL for a file; the caller passes it to `keepPreview` or revokes it. */
export function previewUrl(file: File): string | undefined {
  return isPicture(file.type) ? URL.createObjectURL(file) : undefined;
}

export function keepPreview(attachment: Attachment, url: string): void {
  // The same file attached twice is one artifact.
  forgetPreview(attachment);
  if (attachment.artifact_id && urls.size < PREVIEWS_MAX) urls.set(attachment.artifact_id, url);
  else URL.revokeObjectURL(url);
}

export function forgetPreview(attachment: Attachment): void {
  const id = attachment.artifact_id ?? '';
  const url = urls.get(id);
  if (url !== undefined) URL.revokeObjectURL(url);
  urls.delete(id);
}

/** Returns the URL of an attachment's preview; undefined when it is not an image. */
export function pictureOf(attachment: Attachment): string | undefined {
  if (!attachment.artifact_id || !isPicture(attachment.media_type)) return undefined;
  return urls.get(attachment.artifact_id) ?? `/artifacts/${encodeURIComponent(attachment.artifact_id)}/content`;
}

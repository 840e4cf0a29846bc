/** Sorts the attachments of a message into images and links. Pure. */

import type { Artifact, Attachment, Message } from '../../api/model';
import type { Picture } from '../../text/picture/Lightbox';

/** Image types that are safe in an `<img>`. SVG is treated as a file. */
const SHOWN_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);

export interface FileLink {
  readonly name: string;
  readonly href: string;
  /** "PDF · 1.2 MB", or the host of an external file. */
  readonly about: string;
  /** External file: opened in a new tab, never fetched by the page. */
  readonly isForeign: boolean;
}

export function contentPath(artifactId: string): string {
  return `/artifacts/${encodeURIComponent(artifactId)}/content`;
}

/** Images stored on the hub are shown; everything else is a link. */
export function sortFiles(attachments: readonly Attachment[]): { pictures: Picture[]; links: FileLink[] } {
  const pictures: Picture[] = [];
  const links: FileLink[] = [];
  for (const file of attachments) {
    if (file.artifact_id && SHOWN_TYPES.has(file.media_type)) {
      pictures.push({ src: contentPath(file.artifact_id), alt: file.filename });
    } else {
      links.push(linkOf(file));
    }
  }
  return { pictures, links };
}

export function artifactLink(artifact: Artifact): FileLink {
  return linkOf({ ...artifact, artifact_id: artifact.id });
}

/** Returns artifacts that are not also attachments. */
export function unattachedArtifacts(message: Message): string[] {
  const attached = new Set(message.attachments?.map((file) => file.artifact_id));
  return (message.artifacts ?? []).filter((id) => !attached.has(id));
}

function linkOf(file: Attachment): FileLink {
  const kind = kindOf(file.filename, file.media_type);
  if (file.artifact_id) {
    const about = `${kind} · ${sizeText(file.size)}`;
    return { name: file.filename, href: contentPath(file.artifact_id), about, isForeign: false };
  }
  const url = webAddress(file.url);
  return { name: file.filename, href: url?.href ?? '', about: `${kind} · ${url?.host ?? 'gone'}`, isForeign: true };
}

/** Senders choose the URL: other schemes could run code. */
function webAddress(text: string | null | undefined): URL | undefined {
  const url = text ? URL.parse(text) : null;
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url : undefined;
}

/** Prefers the file extension, which people recognise, to the media type. */
function kindOf(filename: string, mediaType: string): string {
  const ending = /\.([a-z0-9]{1,5})$/i.exec(filename)?.[1];
  return (ending ?? mediaType.split('/')[1] ?? 'file').toUpperCase();
}

const UNITS = ['kB', 'MB', 'GB'] as const;

/** Returns "812 bytes", "14 kB", "1.2 MB". Units are powers of 1,024, like the limits of the hub. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  let size = bytes / 1_024;
  let unit = 0;
  while (size >= 999.5 && unit < UNITS.length - 1) {
    size /= 1_024;
    unit += 1;
  }
  return `${size < 9.95 ? size.toFixed(1) : Math.round(size)} ${UNITS[unit]}`;
}

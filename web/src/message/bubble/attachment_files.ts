/** The files of a message, sorted by how they are shown. Pure. */
import type { Artifact, Attachment, Message } from '../../api/model';

/** What browsers show safely in an `<img>`. A drawing with scripts is a file like any other. */
const SHOWN_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);

/** What the lightbox takes too. */
export interface Picture {
  readonly src: string;
  readonly alt: string;
}

export interface FileLink {
  readonly name: string;
  readonly href: string;
  /** "PDF · 1.2 MB", or where it lies when it is elsewhere. */
  readonly about: string;
  /** It lies on another server: opened in a tab of its own, never fetched by the page. */
  readonly isForeign: boolean;
}

/** Where the hub serves what an artifact holds. */
export function contentPath(artifactId: string): string {
  return `/artifacts/${encodeURIComponent(artifactId)}/content`;
}

/** Pictures that the hub holds are shown; everything else is a link. */
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

/** An artifact that a message carries without saying more of it. */
export function artifactLink(artifact: Artifact): FileLink {
  return linkOf({ ...artifact, artifact_id: artifact.id });
}

/** Artifacts that are not among the attachments anyway. */
export function looseArtifacts(message: Message): string[] {
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

/** Senders choose the address: anything but the web would be run, not opened. */
function webAddress(text: string | null | undefined): URL | undefined {
  const url = text ? URL.parse(text) : null;
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url : undefined;
}

/** People know endings; the media type is for machines. */
function kindOf(filename: string, mediaType: string): string {
  const ending = /\.([a-z0-9]{1,5})$/i.exec(filename)?.[1];
  return (ending ?? mediaType.split('/')[1] ?? 'file').toUpperCase();
}

const UNITS = ['B', 'kB', 'MB', 'GB'] as const;

/** "812 B", "14 kB", "1.2 MB". */
export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit > 0 && value < 9.95 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}

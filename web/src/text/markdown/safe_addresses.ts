/** Decides which URLs a text may link to, and which images it may show. Others stay text. */

const ADDRESS_CHARS_MAX = 2048;
const SCHEMES = new Set(['http:', 'https:', 'mailto:']);
const ARTIFACT = /^\/artifacts\/[A-Za-z0-9_-]{1,64}\/content$/;
const PICTURE_DATA = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/;

/** Returns the normalised URL of a link, or undefined: only absolute http, https and mailto URLs. */
export function linkAddress(address: string): string | undefined {
  if (address.length > ADDRESS_CHARS_MAX || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  return SCHEMES.has(url.protocol) ? url.href : undefined;
}

/** Returns the URL of an image that is shown: a file of this hub, or a data URL of an image type. */
export function pictureAddress(address: string): string | undefined {
  if (PICTURE_DATA.test(address)) return address;
  const { origin } = window.location;
  const path = address.startsWith(`${origin}/`) ? address.slice(origin.length) : address;
  return ARTIFACT.test(path) ? path : undefined;
}

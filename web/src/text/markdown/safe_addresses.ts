/** Which addresses a text may lead to, and which pictures it may show. All others are words. */

const ADDRESS_CHARS_MAX = 2048;
const SCHEMES = new Set(['http:', 'https:', 'mailto:']);
const ARTIFACT = /^\/artifacts\/[A-Za-z0-9_-]{1,64}\/content$/;
const PICTURE_DATA = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/;

/** The address of a link as the browser reads it, or nothing: only the web and mail, and only whole addresses. */
export function linkAddress(address: string): string | undefined {
  if (address.length > ADDRESS_CHARS_MAX || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  return SCHEMES.has(url.protocol) ? url.href : undefined;
}

/** The address of a picture that is shown in place: a file of this hub, or data that is a picture and cannot be more. */
export function pictureAddress(address: string): string | undefined {
  if (PICTURE_DATA.test(address)) return address;
  const { origin } = window.location;
  const path = address.startsWith(`${origin}/`) ? address.slice(origin.length) : address;
  return ARTIFACT.test(path) ? path : undefined;
}

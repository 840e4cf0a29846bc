/** Limits of the composer. `GET /limits` reports those of the hub, and the hub enforces them. */

/** Limit of the hub: bytes of a body in UTF-8. */
export const BODY_BYTES_MAX = 65_536;

/** From this share of the limit on, the remaining length is shown. */
export const BODY_WARNING_SHARE = 0.9;

/** Limit of the hub, checked before an upload starts. */
export const FILE_BYTES_MAX = 50 * 1024 * 1024;

/** Limit of the hub. */
export const FILES_MAX = 20;

/** Concurrent uploads in all conversations: a browser has few connections, and sending needs one. */
export const UPLOADS_AT_ONCE_MAX = 3;

/** Longer pasted texts are offered as a file. */
export const PASTE_CHARS_MAX = 8_000;

/** Limit of the hub. Names after so many mentions are not checked. */
export const MENTIONS_MAX = 50;

/** Suggestions in the list; eight are visible at once. */
export const SUGGESTIONS_MAX = 50;

export const PROPOSALS_MAX = 3;

/** How long a cleared text can be restored. */
export const UNDO_MS = 10_000;

/** Length of the text copy that sets the height of the field: more is higher than the field can become. */
export const MIRROR_CHARS_MAX = 8_000;

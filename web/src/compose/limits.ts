/** The bounds of what is written. Those of the hub are told again by `GET /limits`, and the hub holds them in any case. */

/** Bytes of a message's body, in UTF-8: a limit of the hub. */
export const BODY_BYTES_MAX = 65_536;

/** From this share of the limit on, the room that is left is shown. */
export const BODY_SHARE_TOLD = 0.9;

/** Bytes of one file: a limit of the hub, told before anything is uploaded. */
export const FILE_BYTES_MAX = 50 * 1024 * 1024;

/** Files of one message: a limit of the hub. */
export const FILES_MAX = 20;

/** Uploads at once in all conversations: a browser has few connections, and sending needs one. */
export const UPLOADS_AT_ONCE_MAX = 3;

/** A pasted text longer than this may rather be a file. */
export const PASTE_CHARS_MAX = 8_000;

/** Characters of a name: a limit of the hub. */
export const NAME_CHARS_MAX = 64;

/** Mentions of one message: a limit of the hub. Behind so many, names are not looked at. */
export const MENTIONS_MAX = 50;

/** Suggestions in the list; eight are seen at once. */
export const SUGGESTIONS_MAX = 50;

/** Names proposed for one that nobody has. */
export const PROPOSALS_MAX = 3;

/** "Typing" is told at most once in this time, and holds twice as long for readers. */
export const TYPING_MS = 3_000;

/** How long a cleared text can be brought back. */
export const UNDO_MS = 10_000;

/** The beginning of a text that makes room for it: more than this is higher than any field may become. */
export const MIRROR_CHARS_MAX = 8_000;

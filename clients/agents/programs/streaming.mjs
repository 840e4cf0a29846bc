// How much of an answer a program reports before the end.

/** Each piece of text as the model writes it. */
export const IN_PIECES = { pieces: true, shows: 'in pieces' }

/** The text of a message of the model when the message is complete: the program reports no pieces. */
export const PER_MESSAGE = { pieces: false, shows: 'per message' }

// Frames of server-sent events, as the model providers write them.

/** A frame with a name, as Anthropic and the Responses interface write it. */
export const named = data => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`

/** A frame without a name. */
export const plain = data => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`

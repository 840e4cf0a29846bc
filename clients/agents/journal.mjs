// The events of a project, to be awaited in any order.

/** The frames that the scenarios use. */
export const FRAMES = [
  'live',
  'chunk',
  'agents.created',
  'messaging.posted',
  'messaging.finished',
  'messaging.question',
  'runs.paused',
  'runs.ended',
]

/** All frames of the project since the scenario began. */
export class Journal {
  frames = []
  #waiting = []

  constructor(arrivals) {
    this.#collect(arrivals)
  }

  async #collect(arrivals) {
    for (;;) {
      this.frames.push(await arrivals.next())
      for (const resolve of this.#waiting.splice(0)) resolve()
    }
  }

  /** The first frame that fits, also one that arrived earlier. */
  async until(fits) {
    for (;;) {
      const frame = this.frames.find(fits)
      if (frame) return frame
      await new Promise(resolve => this.#waiting.push(resolve))
    }
  }

  /** The text of a streaming message, as far as its chunks have arrived. */
  textOf({ id }) {
    const chunks = this.frames.filter(({ name, frame }) => name === 'chunk' && frame.message_id === id)
    return chunks.map(({ frame }) => frame.text).join('')
  }
}

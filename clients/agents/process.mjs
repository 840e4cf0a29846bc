// A started program and its output.

import { once } from 'node:events'

const OUTPUT_CHARS_MAX = 200_000

/** A process with its output so far. */
export class Process {
  output = ''
  #child

  constructor(child, line) {
    this.#child = child
    this.line = line
    this.ended = once(child, 'exit').then(([status, signal]) => status ?? signal)
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', text => {
        if (this.output.length < OUTPUT_CHARS_MAX) this.output += text
      })
    }
  }

  /** Waits for something that happens before the process ends; if it ends first, its output is the error. */
  expect(promise) {
    const ended = this.ended.then(status => {
      throw new Error(`"${this.line}" ended too early with ${status}: ${this.output}`)
    })
    return Promise.race([promise, ended])
  }

  async expectSuccess() {
    const status = await this.ended
    if (status !== 0) throw new Error(`"${this.line}" ended with ${status}: ${this.output}`)
  }

  /** Ends the process and its children. */
  async kill() {
    try {
      process.kill(-this.#child.pid, 'SIGKILL')
    } catch {
      // The group has already ended.
    }
    await this.ended
  }
}

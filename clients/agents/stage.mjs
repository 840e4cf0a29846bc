// Everything that one scenario needs: a project on the running hub, a scripted model, an empty home folder, and processes
// that end with the test.

import { spawn } from 'node:child_process'
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { call, follow, project, token, url } from '../test/hub.mjs'
import { FRAMES, Journal } from './journal.mjs'
import { refuseOutsideTraffic } from './outside_traffic.mjs'
import { Process } from './process.mjs'
import { openScriptedModel } from './scripted_model.mjs'

const parlourProgram = path.resolve(process.env.PARLOUR_PROGRAM ?? 'parlour')
const scratch = path.resolve(process.env.PARLOUR_SCRATCH ?? 'scratch')

/** The name of the agent in every scenario. */
export const AGENT = 'Coder'

export class Stage {
  #processes = []

  /** Builds the stage of one scenario of one program; it is torn down with the test. */
  static async build(context, program, scenario) {
    const stage = new Stage()
    stage.program = program
    stage.home = path.join(scratch, `${program.id}-${scenario}`)
    stage.folder = path.join(stage.home, 'work')
    await rm(stage.home, { recursive: true, force: true })
    await mkdir(stage.folder, { recursive: true })
    await mkdir(stage.temporary)
    await mkdir(stage.#bin)
    await symlink(program.command.file, path.join(stage.#bin, program.command.name))
    stage.model = await openScriptedModel()
    stage.outside = await refuseOutsideTraffic()
    stage.project = await project()
    stage.journal = new Journal(follow(context, url, { project_id: stage.project.id }, FRAMES))
    context.after(() => stage.#tearDown())
    await stage.journal.until(({ name }) => name === 'live')
    await stage.write(program.files(stage))
    return stage
  }

  /** The folder for temporary files. */
  get temporary() {
    return path.join(this.home, 'tmp')
  }

  /** The folder of the program, as on the PATH of its user. */
  get #bin() {
    return path.join(this.home, 'bin')
  }

  /** Writes files of the home folder. */
  async write(files) {
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(this.home, name)
      await mkdir(path.dirname(file), { recursive: true })
      await writeFile(file, text)
    }
  }

  /** The bytes of a file below the home folder; undefined if there is none. */
  read(name) {
    return readFile(path.join(this.home, name)).catch(() => undefined)
  }

  /** All files of the home folder, by name. */
  async snapshot() {
    const entries = await readdir(this.home, { recursive: true, withFileTypes: true })
    const names = entries
      .filter(entry => entry.isFile())
      .map(entry => path.relative(this.home, path.join(entry.parentPath, entry.name)))
    return new Map(await Promise.all(names.map(async name => [name, await this.read(name)])))
  }

  /** Whether the tool call that creates this file has run. */
  async hasRun(name) {
    return (await this.read(path.join('work', name))) !== undefined
  }

  /** The environment of every process: nothing of the developer's own. */
  get environment() {
    return {
      PATH: [this.#bin, path.dirname(parlourProgram), process.env.PATH].join(':'),
      HOME: this.home,
      TMPDIR: this.temporary,
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      ...this.outside.environment,
      ...this.program.environment(this),
    }
  }

  /** Starts a process in its own group. */
  start(command, words, { environment = {}, input = '' } = {}) {
    const child = spawn(command, words, {
      cwd: this.folder,
      env: { ...this.environment, ...environment },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    const started = new Process(child, [command, ...words].join(' '))
    this.#processes.push(started)
    return started
  }

  /** Starts the program. */
  startProgram(words, options) {
    return this.start(path.join(this.#bin, this.program.command.name), words, options)
  }

  /** Starts the program for one turn with this prompt. */
  startTurn(input, environment) {
    return this.startProgram(this.program.turn, { input, environment })
  }

  /** The agent, after it was added to the project. */
  async agent() {
    return (await this.journal.until(({ name }) => name === 'agents.created')).frame.data
  }

  /** Runs `parlour` as the person of the project and returns its output; a failure is an error. */
  async parlour(...words) {
    const process = this.startParlour(...words)
    await process.expectSuccess()
    return process.output
  }

  startParlour(...words) {
    const environment = { PARLOUR_URL: url, PARLOUR_TOKEN: token, PARLOUR_PROJECT: this.project.id }
    return this.start(parlourProgram, words, { environment })
  }

  /** The delivery states of messages, one for each; waits a while until they are seen if `seconds` is given. */
  async deliveryStates(messages, seconds = 0) {
    const path = ({ id }) => `/messages/${id}/deliveries?wait=seen&seconds=${seconds}`
    const pages = await Promise.all(messages.map(message => call('GET', path(message))))
    return pages.map(({ items }) => items.map(({ state }) => state).join())
  }

  /** The text that answered a question; undefined while it is open. */
  async answerTo({ id }) {
    const { question } = await call('GET', `/messages/${id}/answer?seconds=0`)
    const { text, message_id } = question.answer ?? {}
    return message_id ? (await call('GET', `/messages/${message_id}`)).body : text
  }

  /** The messages whose calls of the agent are open. */
  async openCalls({ id }) {
    return (await call('GET', `/agents/${id}/calls`)).items.map(one => one.message_id)
  }

  async #tearDown() {
    await Promise.all(this.#processes.map(process => process.kill()))
    this.model.close()
    this.outside.close()
  }
}

export { call, url }

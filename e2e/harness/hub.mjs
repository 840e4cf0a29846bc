/** A real hub with a temporary folder. It is stopped and removed when the process ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { PROGRAM } from './paths.mjs';

/** Generous: a hub that has not started by then has failed. */
const START_MS_MAX = 30_000;
/** Log lines kept for a failed story. */
const LOG_LINES_MAX = 400;
/** The last line of the startup output, after all addresses. */
const GREETED = 'Stop with Ctrl+C.';

const running = new Set();

/** Starts a hub with an empty folder; `settings` are further arguments. */
export async function startHub(settings = []) {
  if (!existsSync(PROGRAM)) throw new Error(`there is no hub at ${PROGRAM}; build it, or name one in PARLOUR_PROGRAM`);
  const hub = new Hub(await mkdtemp(path.join(os.tmpdir(), 'parlour-e2e-')), settings);
  running.add(hub);
  await hub.start();
  return hub;
}

class Hub {
  /** `http://127.0.0.1:PORT`; the port stays the same over restarts. */
  url = '';
  /** The administrator's token and the link that signs in once, from the first start. */
  token = '';
  link = '';
  log = [];
  #folder;
  #settings;
  #child;

  constructor(folder, settings) {
    this.#folder = folder;
    this.#settings = settings;
  }

  async start() {
    const listen = this.url ? new URL(this.url).host : '127.0.0.1:0';
    const args = ['serve', '--listen', listen, '--data', this.#folder, '--rates', 'off', ...this.#settings];
    this.#child = spawn(PROGRAM, args, {
      cwd: this.#folder,
      env: plainEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    createInterface({ input: this.#child.stderr }).on('line', (line) => this.#keep(line));
    await this.#greeting();
  }

  /** Kills the process without a shutdown. */
  async kill() {
    await this.#end('SIGKILL');
  }

  /** Suspends the process: connections stay open without responses. `wake` resumes it. */
  freeze() {
    this.#child.kill('SIGSTOP');
  }

  wake() {
    this.#child.kill('SIGCONT');
  }

  /** Stops the hub and removes its folder. */
  async stop() {
    await this.#end('SIGKILL');
    this.removeNow();
  }

  removeNow() {
    running.delete(this);
    this.#child?.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #end(signal) {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill(signal);
    await ended;
  }

  /** Reads its addresses from the startup output. */
  #greeting() {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      const fail = (why) => reject(new Error(`the hub did not start: ${why}\n${this.log.slice(-20).join('\n')}`));
      const timer = setTimeout(() => fail(`nothing after ${START_MS_MAX} ms`), START_MS_MAX);
      child.once('error', (error) => fail(error.message));
      child.once('exit', (code, signal) => fail(`it ended with ${code ?? signal}`));
      createInterface({ input: child.stdout }).on('line', (line) => {
        this.#keep(line);
        this.#learn(line);
        if (line.trim() !== GREETED) return;
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #learn(line) {
    const found = (pattern) => pattern.exec(line)?.[1];
    this.url = found(/^Listening on (\S+)/) ?? this.url;
    this.link = found(/^Open once\s+(\S+)/) ?? this.link;
    // Only the first start prints it.
    this.token ||= found(/^\s+(parlour_\w+)$/) ?? '';
  }

  #keep(line) {
    this.log.push(line);
    if (this.log.length > LOG_LINES_MAX) this.log.shift();
  }
}

/** Removes the developer's own settings. */
function plainEnvironment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^PARLOUR_|_API_KEY$/.test(name)));
}

process.on('exit', () => {
  for (const hub of [...running]) hub.removeNow();
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));

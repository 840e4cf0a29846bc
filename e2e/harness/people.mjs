/** Members of a hub over its HTTP API: people, agents, applets and schedules. */

/** Concurrent requests when many messages are posted. */
const PARALLEL = 16;

/** A member with a token. */
export class Member {
  constructor(hub, { token, id, name, author }) {
    Object.assign(this, { hub, token, id, name, author });
  }

  /** Sends a request and returns its JSON; throws on a refusal. */
  async call(method, path, body) {
    const response = await fetch(`${this.hub.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} as ${this.name}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  }

  get = (path) => this.call('GET', path);
  send = (path, body) => this.call('POST', path, body);

  /** Posts to a channel, thread or dm; `more` are further fields of the message. */
  post(conversation, body, more = {}) {
    return this.send('/messages', { ...placeOf(conversation), body, ...more });
  }

  /** Posts many messages concurrently; the hub decides their order. */
  async postMany(conversation, bodies, more = {}) {
    return inParallel(bodies, (body) => this.post(conversation, body, more));
  }

  /** Starts a streaming answer. */
  async stream(conversation, more = {}) {
    return new Answer(this, await this.send('/messages', { ...placeOf(conversation), stream: true, ...more }));
  }

  /** Posts a blocking message; `question` has options, default, schema, expiry and the paused run. */
  ask(conversation, body, question = {}, more = {}) {
    return this.post(conversation, body, { blocking: true, question, ...more });
  }

  /** Answers a question: `{ option }`, `{ text }`, `{ value }` or `{ ignore: true }`. */
  answer(message, give) {
    return this.send(`/messages/${message.id}/answer`, give);
  }

  withdraw(message) {
    return this.send(`/messages/${message.id}/withdraw`);
  }

  /** Starts a run. */
  async startRun(conversation, fields = {}) {
    return new Run(this, await this.send('/runs', { ...(conversation ? placeOf(conversation) : {}), ...fields }));
  }

  react(message, emoji) {
    return this.call('PUT', `/messages/${message.id}/reactions/${encodeURIComponent(emoji)}`);
  }

  read(message) {
    return this.send(`/messages/${message.id}/read`, {});
  }

  /** Opens a thread below a message of a channel. */
  thread(message) {
    return this.send('/threads', { channel_id: message.to, root_message_id: message.id });
  }

  dm(project, others, body) {
    const participants = others.map((other) => other.id);
    return this.send('/dms', { project_id: project.id, participants, ...(body ? { body } : {}) });
  }

  /** The newest messages of a conversation, oldest first. */
  async history(conversation, limit = 200) {
    const { items } = await this.get(`/${folderOf(conversation)}/${idOf(conversation)}/messages?limit=${limit}`);
    return items.reverse();
  }

  /** Reports presence: `idle`, `working` …, until three heartbeats are missed. */
  present(state = 'idle') {
    return this.call('PUT', '/presence', { state });
  }

  /** Uploads a file to a conversation and returns it as an attachment. */
  async upload(conversation, filename, mediaType, bytes) {
    const place = { project_id: conversation.project_id, conversation_id: idOf(conversation) };
    const query = new URLSearchParams({ ...place, filename });
    const response = await fetch(`${this.hub.url}/artifacts?${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.token}`, 'content-type': mediaType },
      body: bytes,
    });
    if (!response.ok) throw new Error(`upload ${filename}: ${response.status} ${await response.text()}`);
    const artifact = await response.json();
    return { filename, media_type: mediaType, size: bytes.length, artifact_id: artifact.id };
  }
}

/** A streaming answer. Every chunk states its start, so a repeated one would be detected. */
class Answer {
  #length = 0;

  constructor(member, message) {
    this.member = member;
    this.message = message;
    this.id = message.id;
  }

  async chunk(text) {
    await this.#tell('chunks', { start: this.#length, text });
    this.#length += [...text].length;
  }

  /** Streams a text in small chunks at a rate per second. */
  async type(text, perSecond = 60, length = 4) {
    const started = performance.now();
    const pieces = text.match(new RegExp(`[\\s\\S]{1,${length}}`, 'gu')) ?? [];
    for (const [index, piece] of pieces.entries()) {
      await this.chunk(piece);
      const early = started + ((index + 1) * 1000) / perSecond - performance.now();
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    }
  }

  step = (id, name, input = {}) => this.#tell('steps', { id, name, input });
  finishStep = (id, output = {}, isError = false) => this.#tell(`steps/${id}/finish`, { output, is_error: isError });
  complete = (fields = {}) => this.#tell('complete', fields);
  fail = (reason) => this.#tell('fail', { reason });
  cancel = (reason) => this.#tell('cancel', reason ? { reason } : {});
  beat = () => this.#tell('beat');

  #tell(what, body) {
    return this.member.send(`/messages/${this.id}/${what}`, body);
  }
}

class Run {
  constructor(member, run) {
    this.member = member;
    this.id = run.id;
  }

  now = () => this.member.get(`/runs/${this.id}`);
  checkpoint = () => this.member.send(`/runs/${this.id}/checkpoint`);
  resume = (message) => this.member.send(`/runs/${this.id}/resume`, message ? { message_id: message.id } : {});
  finish = (fields = {}) => this.member.send(`/runs/${this.id}/finish`, fields);
  cancel = (reason) => this.member.send(`/runs/${this.id}/cancel`, reason ? { reason } : {});
}

/** Returns the administrator of a new hub. */
export async function administrator(hub) {
  const member = new Member(hub, { token: hub.token, name: 'Admin' });
  member.id = (await member.get('/me')).member_id;
  return member;
}

/** Actions of an administrator. */
export class People {
  #byName = new Map();

  constructor(admin) {
    this.admin = admin;
    this.hub = admin.hub;
  }

  /** Returns a person by name, created on first use. */
  async person(name, fields = {}) {
    if (!this.#byName.has(name)) this.#byName.set(name, this.#makePerson(name, fields));
    return this.#byName.get(name);
  }

  async #makePerson(name, fields) {
    const made = await this.admin.send('/people', { name, ...fields });
    return new Member(this.hub, { token: made.token, id: made.id, name: made.name });
  }

  /** A project with people in it. */
  async project(name, members = []) {
    const project = await this.admin.send('/projects', { name });
    for (const member of members) await this.admin.send(`/projects/${project.id}/people`, { person_id: member.id });
    return project;
  }

  /** Removes a person from a project, so that the next story does not see it. */
  leave(project, person) {
    return this.admin.call('DELETE', `/projects/${project.id}/people/${person.id}`);
  }

  channel(project, name, fields = {}, by = this.admin) {
    return by.send('/channels', { project_id: project.id, name, ...fields });
  }

  /** Creates an external agent with its token. */
  async agent(project, name, fields = {}) {
    const made = await this.admin.send('/agents', { project_id: project.id, name, ...fields });
    return new Member(this.hub, { token: made.token, id: made.id, name: made.name });
  }

  /** Creates a token of `owner` that posts as an applet or schedule: `type` is `applet` or `scheduler`. */
  async actsAs(owner, type, name) {
    const made = await owner.send('/tokens', { kind: 'static', acts_as: { type, name } });
    return new Member(this.hub, { token: made.secret, id: owner.id, name });
  }

  /** Returns a one-time sign-in link. */
  async link(person) {
    return this.hub.url + (await this.admin.send(`/people/${person.id}/link`)).path;
  }

  /** Signs a browser context in without a page. */
  async signIn(context, person) {
    const { code } = await this.admin.send(`/people/${person.id}/link`);
    const response = await context.request.post(`${this.hub.url}/sign-in`, {
      data: { code },
      headers: { origin: this.hub.url },
    });
    if (!response.ok()) throw new Error(`sign-in of ${person.name}: ${response.status()} ${await response.text()}`);
  }
}

/** The address of a conversation in the page. */
export function addressOf(project, conversation, { message, pane } = {}) {
  const place = `/#/p/${project.id}/c/${idOf(conversation)}`;
  return `${place}${message ? `/m/${message.id ?? message}` : ''}${pane ? `?pane=${pane}` : ''}`;
}

const idOf = (conversation) => (typeof conversation === 'string' ? conversation : conversation.id);
const KINDS = { chn: ['channel_id', 'channels'], thr: ['thread_id', 'threads'], dm: ['dm_id', 'dms'] };
const kindOf = (conversation) => KINDS[idOf(conversation).split('_')[0]];
const placeOf = (conversation) => ({ [kindOf(conversation)[0]]: idOf(conversation) });
const folderOf = (conversation) => kindOf(conversation)[1];

/** Runs a few at a time and returns results in the order of `items`. */
export async function inParallel(items, run, parallel = PARALLEL) {
  const results = new Array(items.length);
  const left = items.entries();
  const worker = async () => {
    for (const [index, item] of left) results[index] = await run(item, index);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return results;
}

/**
 * The projects that the live connection follows: the open project completely and from a position, the others by events
 * alone.
 *
 * Frames of a project are accepted only after the hub has confirmed the newest subscription: an older one may skip
 * events.
 */

export const FOLLOWED_MAX = 50;

interface Subscription {
  readonly isMain: boolean;
  /** The last received position; the main project resumes after it. */
  position: string | undefined;
  ref: string | undefined;
  isConfirmed: boolean;
  /** Missed events are still arriving. */
  isCatchingUp: boolean;
}

export class Subscriptions {
  readonly #byProject = new Map<string, Subscription>();
  #isOn = false;
  #refs = 0;

  constructor(private readonly send: (frame: object) => boolean) {}

  /** Follows a project completely, from a position on. */
  followMain(projectId: string, after: string): void {
    for (const [id, one] of this.#byProject) if (one.isMain && id !== projectId) this.#end(id);
    this.#end(projectId);
    this.#add(projectId, { isMain: true, position: after, ref: undefined, isConfirmed: false, isCatchingUp: true });
  }

  /** Replaces the list of projects that are followed by events alone. */
  followOthers(projectIds: readonly string[]): void {
    const wanted = new Set(projectIds);
    for (const [id, one] of this.#byProject) if (!one.isMain && !wanted.has(id)) this.#end(id);
    for (const id of wanted) {
      const isRoom = this.#byProject.size < FOLLOWED_MAX;
      if (isRoom && !this.#byProject.has(id)) {
        this.#add(id, { isMain: false, position: undefined, ref: undefined, isConfirmed: false, isCatchingUp: false });
      }
    }
  }

  clear(): void {
    for (const id of this.#byProject.keys()) this.#end(id);
  }

  /** The connection is open: sends all subscriptions. */
  begin(): void {
    this.#isOn = true;
    for (const [id, one] of this.#byProject) this.#ask(id, one);
  }

  /** The connection is closed; the subscriptions are kept. */
  pause(): void {
    this.#isOn = false;
    for (const one of this.#byProject.values()) one.isConfirmed = false;
  }

  /** Returns whether a frame of a project is to be accepted, and stores its position. */
  accepts(projectId: string, position?: string): boolean {
    const one = this.#byProject.get(projectId);
    if (!one?.isConfirmed) return false;
    if (position) one.position = position;
    return true;
  }

  isCatchingUp(projectId: string): boolean {
    return this.#byProject.get(projectId)?.isCatchingUp ?? false;
  }

  /** All missed events have arrived. */
  catchUp(projectId: string): void {
    const one = this.#byProject.get(projectId);
    if (one?.isConfirmed) one.isCatchingUp = false;
  }

  confirm(ref: string | undefined): void {
    const one = this.#find(ref)?.[1];
    if (one) one.isConfirmed = true;
  }

  /** Removes the project that the hub refused and returns its id. */
  refuse(ref: string | undefined): string | undefined {
    const found = this.#find(ref)?.[0];
    if (found) this.#byProject.delete(found);
    return found;
  }

  #add(projectId: string, one: Subscription): void {
    this.#byProject.set(projectId, one);
    if (this.#isOn) this.#ask(projectId, one);
  }

  #ask(project_id: string, one: Subscription): void {
    this.#refs += 1;
    one.ref = `s${this.#refs}`;
    one.isConfirmed = false;
    one.isCatchingUp = one.isMain;
    const how = one.isMain ? { after: one.position } : { events_only: true };
    this.send({ type: 'subscribe', ref: one.ref, project_id, ...how });
  }

  #end(project_id: string): void {
    if (this.#byProject.delete(project_id) && this.#isOn) this.send({ type: 'unsubscribe', project_id });
  }

  #find(ref: string | undefined): [string, Subscription] | undefined {
    return ref === undefined ? undefined : [...this.#byProject].find(([, one]) => one.ref === ref);
  }
}

/**
 * Which projects the live connection follows: the one that is open whole and after a position, others by events alone.
 *
 * A project is heard only after the hub has confirmed the newest wish for it: what an older subscription still sends
 * must not be taken for the new one, since it may skip events.
 */

/** Projects that one socket follows. */
export const FOLLOWED_MAX = 50;

interface Subscription {
  readonly isMain: boolean;
  /** The last position that was heard: the main project resumes after it. */
  position: string | undefined;
  ref: string | undefined;
  isHeard: boolean;
  /** What was missed is still being told. */
  isCatchingUp: boolean;
}

export class Subscriptions {
  readonly #byProject = new Map<string, Subscription>();
  #isOn = false;
  #refs = 0;

  constructor(private readonly send: (frame: object) => boolean) {}

  /** Follows a project whole, after a position. It was followed by events alone, or it was another one, until now. */
  followMain(projectId: string, after: string): void {
    for (const [id, one] of this.#byProject) if (one.isMain && id !== projectId) this.#end(id);
    this.#end(projectId);
    this.#add(projectId, { isMain: true, position: after, ref: undefined, isHeard: false, isCatchingUp: true });
  }

  /** Follows these by events alone, from now on, and no others. */
  followOthers(projectIds: readonly string[]): void {
    const wanted = new Set(projectIds);
    for (const [id, one] of this.#byProject) if (!one.isMain && !wanted.has(id)) this.#end(id);
    for (const id of wanted) {
      const isRoom = this.#byProject.size < FOLLOWED_MAX;
      if (isRoom && !this.#byProject.has(id)) {
        this.#add(id, { isMain: false, position: undefined, ref: undefined, isHeard: false, isCatchingUp: false });
      }
    }
  }

  clear(): void {
    for (const id of this.#byProject.keys()) this.#end(id);
  }

  /** The connection is there: asks for everything that is wished. */
  begin(): void {
    this.#isOn = true;
    for (const [id, one] of this.#byProject) this.#ask(id, one);
  }

  /** The connection is gone; what was wished stays. */
  pause(): void {
    this.#isOn = false;
    for (const one of this.#byProject.values()) one.isHeard = false;
  }

  /** Whether something of a project is to be heard now; a position that comes with it is kept. */
  hears(projectId: string, position?: string): boolean {
    const one = this.#byProject.get(projectId);
    if (!one?.isHeard) return false;
    if (position) one.position = position;
    return true;
  }

  /** Whether what was missed is still being told. */
  isCatchingUp(projectId: string): boolean {
    return this.#byProject.get(projectId)?.isCatchingUp ?? false;
  }

  /** Everything that was missed has been told. */
  catchUp(projectId: string): void {
    const one = this.#byProject.get(projectId);
    if (one?.isHeard) one.isCatchingUp = false;
  }

  confirm(ref: string | undefined): void {
    const one = this.#find(ref)?.[1];
    if (one) one.isHeard = true;
  }

  /** The project that the hub does not let the reader follow. */
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
    one.isHeard = false;
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

/** Commands that send one request; the change arrives as an event. */
import { untrack } from 'solid-js';
import type { Hub } from '../api/hub';
import type { ConversationId, Me, Message } from '../api/model';
import { Refusal } from '../api/refusal';
import type { Commands, WorkCommands } from './contract';
import type { OpenProject } from './project/open_project';

export interface CommandParts {
  readonly hub: Hub;
  readonly project: OpenProject;
  me(): Me;
  loadProjects(): Promise<void>;
}

type RequestCommands = Omit<
  Commands,
  | keyof WorkCommands
  | 'send'
  | 'retry'
  | 'discard'
  | 'markRead'
  | 'askAgain'
  | 'noteTyping'
  | 'setDraft'
  | 'signIn'
  | 'signOut'
  | 'rename'
  | 'setPreferences'
  | 'reconnect'
>;

export function createRequestCommands(parts: CommandParts): RequestCommands {
  return { ...messageRequests(parts), ...projectRequests(parts), ...memberRequests(parts) };
}

/** Returns the id of the open project; throws without one. */
function openId({ project }: CommandParts): string {
  if (!project.id) throw new Refusal('PAGE', 'No project is open. Open one first.');
  return project.id;
}

function messageRequests(parts: CommandParts) {
  const { hub, project } = parts;
  return {
    edit: async (id: string, body: string) => void (await hub.edit(id, body)),
    remove: async (id: string) => void (await hub.remove(id)),
    /** Toggles according to the displayed state. */
    async toggleReaction(message: Message, emoji: string) {
      const { member_id } = parts.me();
      const mine = message.reactions?.some((one) => one.emoji === emoji && one.members.includes(member_id));
      await (mine ? hub.unreact(message.id, emoji) : hub.react(message.id, emoji));
    },
    cancelAnswer: async (id: string) => void (await hub.cancel(id)),
    resetLoopGuard: async (conversation: ConversationId) => void (await hub.resetLoopGuard(conversation)),
    upload: async (conversationId: ConversationId, file: File, options?: Parameters<Commands['upload']>[2]) =>
      hub.upload({ projectId: openId(parts), conversationId }, file, options),
    async search(query: string, cursor?: string) {
      const page = await hub.search(openId(parts), query, cursor);
      return page.next ? { hits: page.items, next: page.next } : { hits: page.items };
    },
    findMessage: async (id: string) => project.messageLists.find(id) ?? hub.message(id),
    findArtifact: async (id: string) =>
      untrack(project.snapshot)?.artifacts.find((one) => one.id === id) ?? hub.artifact(id),
  };
}

function projectRequests(parts: CommandParts) {
  const { hub, project } = parts;
  return {
    openProject: (id: string) => untrack(() => project.open(id)),
    async createProject(fields: { name: string; description?: string }) {
      const made = await hub.createProject(fields);
      await parts.loadProjects();
      return made;
    },
    createChannel: async (fields: Parameters<Commands['createChannel']>[0]) => hub.createChannel(openId(parts), fields),
    updateChannel: hub.updateChannel,
    setArchived: async (id: string, isArchived: boolean) => void (await hub.setArchived(id, isArchived)),
    addChannelMember: async (id: string, member: string) => void (await hub.addChannelMember(id, member)),
    removeChannelMember: async (id: string, member: string) => void (await hub.removeChannelMember(id, member)),
    openDm: async (members: readonly string[]) => hub.openDm(openId(parts), members),
    openThread: (message: Message) => hub.openThread(message.to, message.id),
  };
}

function memberRequests(parts: CommandParts) {
  const { hub } = parts;
  return {
    createInvite: async ({ label, usesMax }: { label?: string; usesMax?: number }) =>
      hub.createInvite(openId(parts), { role: 'full', label, uses_max: usesMax ?? 1 }),
    listPeople: () => hub.people(),
    addProjectPerson: async (id: string) => void (await hub.addProjectPerson(openId(parts), id)),
    removeProjectPerson: async (id: string) => void (await hub.removeProjectPerson(openId(parts), id)),
    async invitePerson(name: string) {
      const projectId = openId(parts);
      const { id, is_admin, created_at, name: storedName } = await hub.createPerson(name);
      await hub.addProjectPerson(projectId, id);
      const { path } = await hub.signInLink(id);
      return { person: { id, name: storedName, is_admin, created_at }, link: new URL(path, location.href).href };
    },
    async createAgent(fields: Parameters<Commands['createAgent']>[0]) {
      const { token, ...agent } = await hub.createAgent({ project_id: openId(parts), ...fields });
      return { agent, token };
    },
    async listEngines() {
      const { items } = await hub.engines();
      return items.map(({ provider, model }) => ({ provider, models: model ? [model] : [] }));
    },
    setPassword: (password: string, current?: string) => hub.setPassword(parts.me().member_id, password, current),
    hubVersion: async () => (await hub.health()).version,
  };
}

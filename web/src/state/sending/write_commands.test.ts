import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Me, Message, PostedMessage } from '../../api/model';
import { Refusal } from '../../api/refusal';
import { EMPTY_DRAFT, TYPING_INTERVAL_MS } from '../contract';
import type { OpenProject } from '../project/open_project';
import { aMessage } from '../testing/fixtures';
import { sharedStorage } from '../testing/tools';
import { createMemberWorkspace, type MemberWorkspace } from './member_workspace';
import { OUTBOX_MAX } from './outbox';
import { createWriteCommands, type WriteCommandParts } from './write_commands';

const ME: Me = { member_id: 'per_mara', name: 'Mara', role: 'person', scopes: [] };
const CONVERSATION = 'chn_general';
const draft = (text: string) => ({ ...EMPTY_DRAFT, text });

describe('writing', () => {
  let workspace: MemberWorkspace;
  let said: object[];
  let loadNewest: () => void;
  let known: Message | undefined;
  let writing: ReturnType<typeof createWriteCommands>;
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000 });
    said = [];
    known = undefined;
    loadNewest = vi.fn();
    const sending = { post: async () => ({}) as PostedMessage, onPosted: async () => {}, isReachable: () => true };
    workspace = createMemberWorkspace(sharedStorage().tab(), ME.member_id, sending);
    const messageLists = { peek: () => ({ loadNewest, loading: () => false }), find: () => undefined };
    const parts: WriteCommandParts = {
      hub: { message: async (id: string) => (known?.id === id ? known : undefined) },
      project: { id: 'prj_1', messageLists } as unknown as OpenProject,
      workspace: () => workspace,
      me: () => ME,
      say: (frame) => said.push(frame),
    };
    writing = createWriteCommands(parts);
  });
  afterEach(() => {
    workspace.close();
    vi.useRealTimers();
  });
  const bodies = () => workspace.outbox.all().map(({ body }) => body);

  it('sends messages in the order of writing', () => {
    writing.send(CONVERSATION, draft('one'));
    writing.send(CONVERSATION, { ...draft('two'), replyTo: 'msg_0', blocking: true }, { confirmWide: true });
    expect(bodies()).toEqual(['one', 'two']);
    expect(workspace.outbox.all()[1]).toMatchObject({ replyTo: 'msg_0', blocking: true, confirmWide: true, at: 1_001 });
    expect(loadNewest).toHaveBeenCalledTimes(2);
  });

  it('removes the sent text from the draft, and keeps newer text', () => {
    writing.setDraft(CONVERSATION, draft('one'));
    writing.send(CONVERSATION, draft('one'));
    expect(workspace.drafts.get(CONVERSATION)).toEqual(EMPTY_DRAFT);
    writing.setDraft(CONVERSATION, draft('newer'));
    writing.send(CONVERSATION, draft('older'));
    expect(workspace.drafts.get(CONVERSATION).text).toBe('newer');
  });

  it('returns the draft of a discarded message', () => {
    writing.send(CONVERSATION, draft('one'));
    const [one] = workspace.outbox.all();
    expect(writing.discard(one?.id ?? '')?.text).toBe('one');
    expect([bodies(), writing.discard('msg_none')]).toEqual([[], undefined]);
  });

  it('retries a refused message with the wide mention confirmed', () => {
    writing.send(CONVERSATION, draft('@everyone'));
    const id = workspace.outbox.all()[0]?.id ?? '';
    workspace.outbox.setStatus(id, { state: 'refused', refusal: new Refusal('PARLOUR-M03', 'Many.') });
    writing.retry(id, { confirmWide: true });
    expect(workspace.outbox.get(id)).toMatchObject({ status: { state: 'waiting' }, confirmWide: true });
    writing.retry('msg_none');
    expect(bodies()).toHaveLength(1);
  });

  it('refuses messages beyond the limit of the outbox', () => {
    for (let index = 0; index < OUTBOX_MAX; index += 1) writing.send(CONVERSATION, draft(`${index}`));
    expect(() => writing.send(CONVERSATION, draft('more'))).toThrow(/already waiting/);
  });

  it('asks a question of the reader again', async () => {
    known = aMessage({ id: 'msg_q', body: 'Why?', to: 'thr_1', importance: 'high' });
    const answer = aMessage({ id: 'msg_a', reply_to: 'msg_q' });
    expect(await writing.askAgain(answer)).toBe(true);
    expect(workspace.outbox.all()[0]).toMatchObject({ body: 'Why?', conversationId: 'thr_1', importance: 'high' });
  });

  it('does not ask a question of somebody else, or one that is gone', async () => {
    known = aMessage({ id: 'msg_q', from: { type: 'person', id: 'per_tobias', name: 'Tobias' } });
    expect(await writing.askAgain(aMessage({ cause: { depth: 1, message_id: 'msg_q' } }))).toBe(false);
    expect(await writing.askAgain(aMessage({ reply_to: 'msg_gone' }))).toBe(false);
    expect(await writing.askAgain(aMessage())).toBe(false);
    expect(bodies()).toEqual([]);
  });

  it('sends typing notices at most once per interval and conversation', () => {
    for (const place of ['chn_1', 'chn_1', 'chn_2']) writing.noteTyping(place);
    vi.advanceTimersByTime(TYPING_INTERVAL_MS);
    writing.noteTyping('chn_2');
    expect(said).toEqual(['chn_1', 'chn_2', 'chn_2'].map((conversation_id) => ({ type: 'typing', conversation_id })));
  });
});

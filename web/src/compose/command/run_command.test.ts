import { afterEach, describe, expect, it, vi } from 'vitest';
import { closeDialog, dialogRequest } from '../../dialogs/open_dialog';
import type { Commands } from '../../state/contract';
import { aChannel, aSnapshot, fakeStore } from '../../state/testing/fixtures';
import { type ParsedCommand, parseCommand } from './commands';
import { commandConversationOf, runCommand } from './run_command';

const PRIVATE = aChannel('chn_secret', 'secret', { visibility: 'private', created_by: 'per_tobias' });

function hub(answers: Partial<Commands> = {}, answering: string[] = []) {
  const snapshot = () => aSnapshot({ channels: [aChannel(), PRIVATE], dms: [] });
  const list = answering.map((name) => ({ messageId: `msg_${name}`, name }));
  const store = fakeStore({ snapshot, answering: () => list }, answers);
  const showHelp = vi.fn();
  const run = (text: string, conversationId = 'chn_general') =>
    runCommand(parseCommand(text) as Extract<ParsedCommand, { type: 'command' }>, { store, conversationId, showHelp });
  return { store, run, showHelp, asked: () => store.asked.map((one) => [one.name, ...one.with]) };
}

afterEach(() => {
  closeDialog();
  location.hash = '';
});

describe('/dm', () => {
  it('opens the DM, sends the text and navigates to it', async () => {
    const openDm = async () => ({ id: 'dm_1' }) as Awaited<ReturnType<Commands['openDm']>>;
    const { run, asked } = hub({ openDm });
    expect(await run('/dm coder look at this')).toEqual({ type: 'done' });
    expect(asked()[0]).toEqual(['openDm', ['agt_coder']]);
    expect(asked()[1]).toMatchObject(['send', 'dm_1', { text: 'look at this', importance: 'normal' }]);
    expect(location.hash).toBe('#/p/prj_1/c/dm_1');
  });

  it('keeps the text when no member has the name', async () => {
    const { run, asked } = hub();
    expect(await run('/dm Codr hi')).toEqual({ type: 'kept', words: 'Nobody is called Codr. Coder?' });
    expect(asked()).toEqual([]);
  });

  it('opens the dialog without arguments', async () => {
    await hub().run('/dm');
    expect(dialogRequest()).toEqual({ kind: 'start-dm' });
  });
});

describe('commands of channels', () => {
  it('change the topic', async () => {
    const { run, asked } = hub();
    await run('/topic Ship 0.4');
    expect(asked()).toEqual([['updateChannel', 'chn_general', { topic: 'Ship 0.4' }]]);
  });

  it('archive, and can be undone', async () => {
    const { run, asked } = hub();
    const outcome = await run('/archive');
    if (outcome.type === 'done') outcome.undo?.();
    expect(asked()).toEqual([
      ['setArchived', 'chn_general', true],
      ['setArchived', 'chn_general', false],
    ]);
  });

  it('add a member to a private channel, and ask for a name otherwise', async () => {
    const { run, asked } = hub();
    expect(await run('/invite @Reviewer', 'chn_secret')).toMatchObject({ words: 'Reviewer is in #secret now.' });
    expect(asked()).toEqual([['addChannelMember', 'chn_secret', 'agt_reviewer']]);
    await run('/invite', 'chn_secret');
    expect(dialogRequest()).toEqual({ kind: 'channel-members', channelId: 'chn_secret' });
    await run('/invite');
    expect(dialogRequest()).toEqual({ kind: 'invite-people' });
  });

  it('leave a private channel only after a question, and no other', async () => {
    const { run } = hub();
    expect(await run('/leave')).toMatchObject({ type: 'kept' });
    await run('/leave', 'chn_secret');
    expect(dialogRequest()).toEqual({ kind: 'remove-from-channel', channelId: 'chn_secret', memberId: 'per_mara' });
  });

  it('report why they are not available elsewhere', async () => {
    const { run, asked } = hub();
    expect(await run('/topic x', 'dm_9')).toEqual({ type: 'kept', words: 'Only channels have a topic.' });
    expect(await run('/archive', 'dm_9')).toEqual({ type: 'kept', words: 'Only channels can be archived.' });
    expect(asked()).toEqual([]);
  });

  it('create a channel and open it', async () => {
    const createChannel = async () => aChannel('chn_new', 'new');
    const { run, asked } = hub({ createChannel });
    await run('/channel #new');
    expect(asked()).toEqual([['createChannel', { name: 'new', visibility: 'project' }]]);
    expect(location.hash).toBe('#/p/prj_1/c/chn_new');
  });
});

it('/search opens the search view', async () => {
  await hub().run('/search epoch change');
  expect(location.hash).toBe('#/search?q=epoch%20change');
});

it('/stop stops all answers of the conversation, and reports when there is none', async () => {
  const busy = hub({}, ['Coder', 'Reviewer']);
  expect(await busy.run('/stop')).toMatchObject({ words: 'Stopped: Coder, Reviewer.' });
  expect(busy.asked()).toEqual([
    ['cancelAnswer', 'msg_Coder'],
    ['cancelAnswer', 'msg_Reviewer'],
  ]);
  expect(await hub().run('/stop')).toMatchObject({ words: 'Nobody is answering here.' });
});

it('/guard resets the loop guard, /help shows the commands', async () => {
  const { run, asked, showHelp } = hub();
  await run('/guard');
  await run('/help');
  expect(asked()).toEqual([['resetLoopGuard', 'chn_general']]);
  expect(showHelp).toHaveBeenCalledOnce();
});

it('returns the kind of conversation for commands', () => {
  const { store } = hub();
  expect(commandConversationOf(store, 'chn_general')).toEqual({ type: 'channel', isPrivate: false, mayManage: true });
  expect(commandConversationOf(store, 'nowhere')).toBeUndefined();
});

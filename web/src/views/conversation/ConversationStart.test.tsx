import { cleanup, render, screen } from '@solidjs/testing-library';
import { afterEach, expect, test } from 'vitest';
import { dialogRequest } from '../../dialogs/open_dialog';
import { conversationOf } from '../../state/selectors';
import { StoreContext } from '../../state/store_context';
import { aChannel, anAgent, aPerson, aSnapshot, fakeStore } from '../../state/testing/fixtures';
import { ConversationStart } from './ConversationStart';

afterEach(cleanup);

function show(id: string, isEmpty: boolean, snapshot = aSnapshot()) {
  const store = fakeStore({ snapshot: () => snapshot });
  const conversation = conversationOf(snapshot, id);
  if (!conversation) throw new Error('unknown conversation');
  render(() => (
    <StoreContext.Provider value={store}>
      <ConversationStart conversation={conversation} isEmpty={isEmpty} />
    </StoreContext.Provider>
  ));
  return store;
}

test('the beginning names the channel and its topic', () => {
  show('chn_release', false);
  expect(screen.getByRole('heading').textContent).toBe('This is the start of #release');
  expect(screen.getByText('Ship 0.4')).toBeDefined();
  expect(screen.queryByText(/No messages yet/)).toBeNull();
});

test('an empty channel says what to do, and a click mentions an agent', () => {
  const store = show('chn_general', true);
  expect(screen.getByText(/No messages yet\. Write the first one, or mention an agent with @\./)).toBeDefined();
  screen.getByRole('button', { name: '@Coder' }).click();
  expect(store.draft('chn_general').text).toBe('@Coder ');
});

test('a project without other people offers three first steps', () => {
  const store = show('chn_general', false, aSnapshot({ people: [aPerson()], agents: [anAgent('agt_guide', 'Guide')] }));
  expect(screen.getAllByRole('button').map((one) => one.textContent?.trim())).toEqual([
    'Ask Guide',
    'Add your agent',
    'Invite people',
  ]);
  screen.getByRole('button', { name: 'Ask Guide' }).click();
  expect(store.draft('chn_general').text).toBe('@Guide help');
  screen.getByRole('button', { name: 'Invite people' }).click();
  expect(dialogRequest()).toEqual({ kind: 'invite-people' });
});

test('a project with other people offers none', () => {
  show('chn_general', false);
  expect(screen.queryByRole('button')).toBeNull();
});

test('an archived channel suggests nothing', () => {
  const archived = aChannel('chn_general', 'general', { archived_at: '2026-03-02T09:12:00Z' });
  show('chn_general', true, aSnapshot({ channels: [archived] }));
  expect(screen.queryByText(/No messages yet/)).toBeNull();
});

test('a dm names the other', () => {
  const dms = [{ id: 'dm_1', project_id: 'prj_1', participants: ['per_mara', 'per_tobias'], created_at: '' }];
  show('dm_1', false, aSnapshot({ dms }));
  expect(screen.getByRole('heading').textContent).toBe('This is the start of your direct messages with Tobias');
});

import { expect, test } from 'vitest';
import { membersById } from '../../state/selectors';
import { aSnapshot } from '../../state/testing/fixtures';
import { questionRecipients, recipientsText } from './question_recipients';

const dm = { id: 'dm_1', project_id: 'prj_1', participants: ['per_mara', 'agt_coder'], created_at: '' };
const snapshot = aSnapshot({
  dms: [dm],
  subscriptions: [{ channel_id: 'chn_release', agent_id: 'agt_reviewer' }],
  threads: [
    {
      id: 'thr_1',
      project_id: 'prj_1',
      channel_id: 'chn_general',
      root_message_id: 'msg_1',
      title: 'x',
      created_at: '',
    },
  ] as never,
});
const asked = (text: string, id = 'chn_general') =>
  questionRecipients(text, snapshot, id, [...membersById(snapshot).values()]);

test('those who are mentioned are asked, and not the writer', () => {
  expect(asked('@Coder and @tobias, which? `@Reviewer`')).toEqual({ type: 'members', names: ['Coder', 'Tobias'] });
  expect(asked('@Mara which?')).toEqual({ type: 'nobody' });
});

test('without a mention, the members of the conversation are asked', () => {
  expect(asked('Which?', 'dm_1')).toEqual({ type: 'members', names: ['Coder'] });
  expect(asked('Which?', 'chn_release')).toEqual({ type: 'followers', names: ['Reviewer'] });
  expect(asked('Which?', 'thr_1')).toEqual({ type: 'thread' });
  expect(asked('Which?')).toEqual({ type: 'nobody' });
});

test('many addressees are not named', () => {
  expect(asked('@everyone which?')).toEqual({ type: 'many' });
});

test('a missing part is reported with the next step', () => {
  expect(recipientsText({ type: 'nobody' })).toBe('Mention who should answer: nobody follows this channel.');
  expect(recipientsText({ type: 'members', names: ['Coder', 'Tobias'] })).toBe('Asks Coder and Tobias, and waits.');
});

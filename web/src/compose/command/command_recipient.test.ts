import { expect, it } from 'vitest';
import type { Member } from '../../api/model';
import { anAgent } from '../../state/testing/fixtures';
import { readRecipient } from './command_recipient';

function agent(id: string, name: string): Member {
  return { type: 'agent', id, name, agent: anAgent(id, name) };
}
const MEMBERS = [agent('agt_1', 'Code'), agent('agt_2', 'Code Reviewer'), agent('agt_3', 'Kim'), agent('agt_4', 'kim')];

it('reads the longest known name, with or without @, and the text behind it', () => {
  expect(readRecipient('@code reviewer look', MEMBERS)).toMatchObject({ member: { id: 'agt_2' }, text: 'look' });
  expect(readRecipient('Code look', MEMBERS)).toMatchObject({ member: { id: 'agt_1' }, text: 'look' });
  expect(readRecipient('Code\nlook', MEMBERS)).toMatchObject({ member: { id: 'agt_1' }, text: 'look' });
  expect(readRecipient('agt_3', MEMBERS)).toMatchObject({ member: { id: 'agt_3' }, text: '' });
});

it('reports ambiguous and unknown names', () => {
  expect(readRecipient('KIM hi', MEMBERS)).toEqual({ type: 'several', name: 'KIM' });
  expect(readRecipient('Coe hi', MEMBERS)).toEqual({ type: 'nobody', name: 'Coe', proposals: ['Code'] });
  expect(readRecipient('', MEMBERS)).toEqual({ type: 'nobody', name: '', proposals: [] });
});

import { describe, expect, it } from 'vitest';
import type { Member, Presence } from '../../api/model';
import { anAgent, anOpenQuestion, aPerson, aRun } from '../../state/testing/fixtures';
import { memberState, workOf } from './member_state';

const coder: Member = { type: 'agent', id: 'agt_coder', name: 'Coder', agent: anAgent() };
const tobias: Member = { type: 'person', id: 'per_tobias', name: 'Tobias', person: aPerson('per_tobias', 'Tobias') };
const present = (state: Presence['state']): Presence => ({
  member_id: 'agt_coder',
  name: 'Coder',
  is_agent: true,
  project_ids: ['prj_1'],
  state,
  abilities: { can_stream: true, can_be_paused: false, can_be_woken: true },
  since: '2026-03-02T09:12:00.000Z',
});
const NOON = new Date(2026, 2, 2, 12).getTime();

describe('the state of a member', () => {
  it('is described for agents by their work', () => {
    expect(memberState(coder, present('idle'), undefined, NOON)).toEqual({ dot: 'idle', words: 'idle' });
    expect(memberState(coder, present('working'), undefined, NOON)).toEqual({ dot: 'working', words: 'working' });
    expect(memberState(coder, present('paused'), undefined, NOON)).toEqual({ dot: 'paused', words: 'paused' });
  });

  it('is for people only whether they are online', () => {
    expect(memberState(tobias, present('working'), undefined, NOON)).toEqual({ dot: 'idle', words: 'online' });
  });

  it('says since when somebody is offline, if the page saw them leave', () => {
    expect(memberState(coder, undefined, undefined, NOON)).toEqual({ dot: 'away', words: 'offline' });
    expect(memberState(tobias, undefined, NOON - 3_600_000, NOON).words).toMatch(/^offline since 11/);
    expect(memberState(tobias, undefined, NOON - 2 * 86_400_000, NOON).words).toMatch(/^offline since Sat/);
  });
});

describe('the work of an agent', () => {
  const from = { type: 'agent', id: 'agt_coder', name: 'Coder' } as const;
  const pause = { reason: 'asked', message_id: 'msg_ask', conversation_id: 'chn_general', from, since: '' } as const;
  const paused = aRun({ id: 'run_bbbb', state: 'paused', pauses: [pause] });

  it('is its run', () => {
    expect(workOf('agt_coder', [aRun({ id: 'run_aaaa' })], [])).toEqual({ dot: 'working', words: 'run aaaa' });
    expect(workOf('agt_reviewer', [aRun()], [])).toBeUndefined();
  });

  it('is a pause first, and names the reader when it waits for them', () => {
    expect(workOf('agt_coder', [aRun(), paused], [])).toEqual({ dot: 'paused', words: 'paused' });
    expect(workOf('agt_coder', [aRun(), paused], [anOpenQuestion()])?.words).toBe('waiting for you');
  });
});

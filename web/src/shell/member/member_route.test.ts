import { beforeEach, describe, expect, it } from 'vitest';
import { rememberLocation } from '../../state/project/last_location';
import { aSnapshot } from '../../state/testing/fixtures';
import { firstConversationOf, memberRoute } from './member_route';

const pane = { kind: 'member', id: 'agt_coder' } as const;

beforeEach(() => localStorage.clear());

describe('a member is shown', () => {
  it('beside what is open, whatever stood there', () => {
    const here = { view: 'conversation', projectId: 'prj_1', conversationId: 'chn_release' } as const;
    const withThread = { ...here, pane: { kind: 'thread', id: 'thr_1' } } as const;
    expect(memberRoute(withThread, aSnapshot(), 'agt_coder')).toEqual({ ...here, pane });
  });

  it('beside the last conversation when none is open', () => {
    rememberLocation({ projectId: 'prj_1', conversationId: 'chn_release' });
    expect(memberRoute({ view: 'settings' }, aSnapshot(), 'agt_coder')).toEqual({
      view: 'conversation',
      projectId: 'prj_1',
      conversationId: 'chn_release',
      pane,
    });
  });

  it('nowhere in a project without conversations', () => {
    const empty = aSnapshot({ channels: [] });
    expect(firstConversationOf(empty)).toBeUndefined();
    expect(memberRoute({ view: 'home' }, empty, 'agt_coder')).toEqual({ view: 'project', projectId: 'prj_1' });
  });
});

import { cleanup, render } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { go } from '../platform/router';
import { runShortcut } from '../platform/shortcuts';
import { aSnapshot, fakeStore } from '../state/testing/fixtures';
import { answerPageKeys } from './page_keys';

const unread = { conversation_id: 'chn_release', last_seq: 3, read_seq: 1, unread: 2, mentions: [] };

beforeEach(() => {
  go({ view: 'conversation', projectId: 'prj_1', conversationId: 'chn_general' });
  render(() => {
    answerPageKeys(fakeStore({ snapshot: () => aSnapshot({ reading: [unread] }) }));
    return null;
  });
});
afterEach(cleanup);

describe('keys of the page', () => {
  it.each([
    ['next', '#/p/prj_1/c/chn_release'],
    ['previous', '#/p/prj_1/c/chn_release'],
    ['next-unread', '#/p/prj_1/c/chn_release'],
    ['previous-unread', '#/p/prj_1/c/chn_release'],
    ['settings', '#/settings'],
    ['search', '#/search?q='],
  ])('%s leads to %s', (id, hash) => {
    expect(runShortcut(id)).toBe(true);
    expect(location.hash).toBe(hash);
  });

  it('pane opens the details and closes whatever is in the pane', () => {
    runShortcut('pane');
    expect(location.hash).toBe('#/p/prj_1/c/chn_general?pane=details');
    runShortcut('pane');
    expect(location.hash).toBe('#/p/prj_1/c/chn_general');
  });

  it('end with the page', () => {
    cleanup();
    expect(runShortcut('next')).toBe(false);
  });
});

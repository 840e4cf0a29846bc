import { fireEvent } from '@solidjs/testing-library';
import { describe, expect, test } from 'vitest';
import { route } from '../../platform/router';
import { aMessage, aSnapshot } from '../../state/testing/fixtures';
import { reactorsText } from '../reactions/Reactions';
import { anAnswer, renderRow } from '../testing';
import { repliesText } from './ThreadLink';

describe('reactions', () => {
  const reactions = [
    { emoji: '👍', members: ['per_mara', 'agt_coder'] },
    { emoji: '👀', members: ['per_tobias'] },
  ];

  test("show count, names and the reader's own reaction", () => {
    const { getByLabelText } = renderRow({ message: anAnswer({ reactions }) });
    const mine = getByLabelText('thumbs up, 2');
    expect([mine.getAttribute('aria-pressed'), mine.title]).toEqual(['true', 'Mara, Coder']);
    expect(getByLabelText('looking, 1').getAttribute('aria-pressed')).toBe('false');
  });

  test('are toggled by a click', () => {
    const message = anAnswer({ reactions });
    const { getByLabelText, store } = renderRow({ message });
    fireEvent.click(getByLabelText('looking, 1'));
    expect(store.asked).toEqual([{ name: 'toggleReaction', with: [message, '👀'] }]);
  });

  test('of many are not all named', () => {
    const names = [undefined, ...Array.from({ length: 13 }, (_, index) => `A${index}`)];
    expect(reactorsText(names)).toBe('Former member, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10 and 2 more');
  });
});

describe('the thread below', () => {
  const thread = {
    id: 'thr_1',
    project_id: 'prj_1',
    channel_id: 'chn_general',
    root_message_id: 'msg_1',
    created_at: '2026-03-02T09:13:00.000Z',
  };
  const reading = { conversation_id: 'thr_1', last_seq: 3, read_seq: 2, unread: 1, mentions: [] };
  const snapshot = () => aSnapshot({ threads: [thread], reading: [reading] });
  const message = aMessage({ thread_id: 'thr_1' });

  test('is counted, with what is new, and opens', () => {
    location.hash = '#/p/prj_1/c/chn_general';
    dispatchEvent(new Event('hashchange'));
    const { getByText, article } = renderRow({ message, store: { snapshot } });
    expect(article.querySelector('.thread-link')?.textContent).toBe('3 replies1 new');
    fireEvent.click(getByText('3 replies'));
    expect(route()).toMatchObject({ pane: { kind: 'thread', id: 'thr_1' } });
  });

  test('is not linked while nobody has replied', () => {
    const empty = () =>
      aSnapshot({ threads: [thread], reading: [{ ...reading, last_seq: 0, read_seq: 0, unread: 0 }] });
    const { article } = renderRow({ message, store: { snapshot: empty } });
    expect(article.querySelector('.thread-link')).toBeNull();
  });

  test('is not linked inside itself', () => {
    const { article } = renderRow({ message, store: { snapshot }, scope: 'thread' });
    expect(article.querySelector('.thread-link')).toBeNull();
  });

  test.each([
    [undefined, 'Open the thread'],
    [1, '1 reply'],
    [3, '3 replies'],
  ])('with %s replies says %s', (count, text) => {
    expect(repliesText(count)).toBe(text);
  });
});

describe('members that it did not reach', () => {
  test('a held agent is named with the rule', () => {
    const held = [{ agent_id: 'agt_reviewer', name: 'Reviewer', rule: 'budget' as const }];
    const { article } = renderRow({ message: anAnswer({ held }) });
    expect(article.querySelector('.message-hint')?.textContent).toBe(
      'Reviewer was not called: the message budget of agents is used up here.',
    );
  });

  const mentionProblems = () => [{ name: 'Codr', reason: 'unknown' as const, candidates: ['Coder'] }];

  test('a wrong name is corrected by a click', () => {
    const message = aMessage({ body: '@Codr look' });
    const { getByText, store } = renderRow({ message, store: { mentionProblems } });
    fireEvent.click(getByText('@Coder'));
    expect(store.asked).toEqual([{ name: 'edit', with: ['msg_1', '@Coder look'] }]);
  });

  test('only its author sees it', () => {
    const { queryByText } = renderRow({ message: anAnswer(), store: { mentionProblems } });
    expect(queryByText('@Coder')).toBeNull();
  });
});

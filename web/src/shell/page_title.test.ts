import { describe, expect, it } from 'vitest';
import { anOpenQuestion, aQuestionMessage, aSnapshot } from '../state/testing/fixtures';
import { pageTitle } from './page_title';

const here = { view: 'conversation', projectId: 'prj_1', conversationId: 'chn_release' } as const;
const reading = (conversation_id: string, unread: number, mentions: number[] = []) => ({
  conversation_id,
  last_seq: 9,
  read_seq: 9 - unread,
  unread,
  mentions,
});

describe('the title of the page', () => {
  it('names the conversation and its project', () => {
    expect(pageTitle(here, aSnapshot())).toBe('#release · Parlour dev · Parlour');
    expect(pageTitle({ view: 'settings' }, aSnapshot())).toBe('Settings · Parlour dev · Parlour');
    expect(pageTitle(here, undefined)).toBe('Parlour');
  });

  it('names no conversation of another project while that one loads', () => {
    expect(pageTitle({ ...here, projectId: 'prj_2' }, aSnapshot())).toBe('Parlour dev · Parlour');
  });

  it('counts mentions, and only marks what is unread besides', () => {
    const unread = aSnapshot({ reading: [reading('chn_general', 4)] });
    expect(pageTitle(here, unread)).toBe('• #release · Parlour dev · Parlour');
    const mentioned = aSnapshot({ reading: [reading('chn_general', 4, [8, 9]), reading('chn_release', 1, [9])] });
    expect(pageTitle(here, mentioned)).toBe('(3) #release · Parlour dev · Parlour');
  });

  it('counts open questions, and those that are unread mentions once', () => {
    const questions = [
      anOpenQuestion(),
      anOpenQuestion({ message: aQuestionMessage({}, { id: 'msg_2', to: 'chn_release', seq: 9 }) }),
    ];
    expect(pageTitle({ view: 'needs-you' }, undefined, questions)).toBe('(2) Needs you · Parlour');
    const mentioned = aSnapshot({ reading: [reading('chn_release', 1, [9])] });
    expect(pageTitle(here, mentioned, questions)).toBe('(2) #release · Parlour dev · Parlour');
  });
});

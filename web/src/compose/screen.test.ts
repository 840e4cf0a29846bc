import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { go } from '../platform/router';
import { mayTakeFocus } from './screen';

const opener = document.createElement('a');
const message = document.createElement('article');

beforeEach(() => {
  vi.stubGlobal('matchMedia', () => ({ matches: true }));
  opener.href = '#';
  message.tabIndex = -1;
  document.body.append(opener, message);
  go({ view: 'conversation', projectId: 'prj_1', conversationId: 'chn_general' });
});

afterEach(() => {
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});

test('the composer takes the focus from the link that opened its conversation', () => {
  opener.focus();
  expect(mayTakeFocus(opener)).toBe(true);
});

test('the composer takes the focus when nothing has it', () => {
  expect(mayTakeFocus(opener)).toBe(true);
});

test('a composer that is loaded late leaves the focus on the message that the reader went to', () => {
  message.focus();
  expect(mayTakeFocus(opener)).toBe(false);
});

test('the composer does not take the focus out of a dialog', () => {
  const dialog = document.createElement('dialog');
  dialog.setAttribute('open', '');
  document.body.append(dialog);
  expect(mayTakeFocus(opener)).toBe(false);
});

test('a link to a message keeps the focus away from the composer', () => {
  go({ view: 'conversation', projectId: 'prj_1', conversationId: 'chn_general', messageId: 'msg_1' });
  expect(mayTakeFocus(opener)).toBe(false);
});

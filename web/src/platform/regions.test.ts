import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Region, takesFocus } from './focus';
import { focusNextRegion } from './regions';
import { go } from './router';

const ends: (() => void)[] = [];

beforeEach(() => document.body.replaceChildren());
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A part of the page with a button that takes its focus. */
function addPart(markup: readonly string[], region: Region, place: string): void {
  let parent: Element = document.body;
  for (const part of markup) {
    const [name = 'div', kind = ''] = part.split('.');
    const element = document.createElement(name || 'div');
    element.className = kind;
    parent.append(element);
    parent = element;
  }
  const button = document.createElement('button');
  button.textContent = `${region} ${place}`;
  parent.append(button);
  ends.push(takesFocus(region, place, () => button.focus()));
}

function walk(steps: number): (string | null | undefined)[] {
  return Array.from({ length: steps }, () => {
    focusNextRegion();
    return document.activeElement?.textContent;
  });
}

test('it cycles through the regions, and prefers the conversation to the thread', () => {
  go({ view: 'conversation', projectId: 'prj_1', conversationId: 'chn_1' });
  addPart(['nav.sidebar'], 'sidebar', 'sidebar');
  addPart(['main', 'div.message-list'], 'messages', 'chn_1');
  addPart(['main', 'form.composer'], 'composer', 'chn_1');
  addPart(['aside.pane'], 'pane', 'pane');
  addPart(['aside.pane', 'form.composer'], 'composer', 'thr_1');
  expect(walk(5)).toEqual(['sidebar sidebar', 'messages chn_1', 'composer chn_1', 'pane pane', 'sidebar sidebar']);
});

test('regions that are not mounted are skipped', () => {
  go({ view: 'conversation', projectId: 'prj_1', conversationId: 'chn_1' });
  addPart(['nav.sidebar'], 'sidebar', 'sidebar');
  addPart(['main', 'form.composer'], 'composer', 'chn_1');
  expect(walk(3)).toEqual(['sidebar sidebar', 'composer chn_1', 'sidebar sidebar']);
});

test('a view that is no conversation is entered at its first control', () => {
  go({ view: 'settings' });
  addPart(['nav.sidebar'], 'sidebar', 'sidebar');
  const main = document.createElement('main');
  const input = document.createElement('input');
  main.append(input);
  document.body.append(main);
  walk(2);
  expect(document.activeElement).toBe(input);
});

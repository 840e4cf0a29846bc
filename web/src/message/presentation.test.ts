import { describe, expect, test } from 'vitest';
import type { Author, Kind } from '../api/model';
import { aMessage } from '../state/testing/fixtures';
import { type PresentationName, presentationOf } from './presentation';

const from = (type: Author['type']): Author => ({ type, id: `${type}-1`, name: type });

describe('the form of a message comes from its author and its kind', () => {
  test.each<[Author['type'], Kind, PresentationName, string, string | undefined]>([
    ['person', 'user', 'user', 'start', undefined],
    ['applet', 'user', 'applet', 'start', 'applet'],
    ['agent', 'user', 'agent', 'start', 'agent to agent'],
    ['scheduler', 'user', 'scheduler', 'start', 'schedule'],
    ['agent', 'assistant', 'assistant', 'start', undefined],
    ['applet', 'assistant', 'assistant', 'start', undefined],
    ['agent', 'tool_result', 'tool', 'start', undefined],
    ['tool', 'tool_result', 'tool', 'start', undefined],
    ['tool', 'user', 'tool', 'start', undefined],
    ['system', 'system', 'system', 'centre', undefined],
    ['agent', 'system', 'system', 'centre', undefined],
    ['host', 'host', 'host', 'centre', undefined],
    ['agent', 'host', 'host', 'centre', undefined],
  ])('%s writes %s: %s at the %s, chip %s', (author, kind, name, side, chip) => {
    const presentation = presentationOf(aMessage({ from: from(author), kind }), 'per_mara');
    expect(presentation).toMatchObject({ name, side, className: `${name}-message`, isRemoved: false });
    expect(presentation.chip).toBe(chip);
  });
});

test.each(['[scheduler:x] Good morning', '[applet:file-browser] lines', '[agent:abc] hi', '🏠 restarted'])(
  'a person who types %s stays a person',
  (body) => {
    expect(presentationOf(aMessage({ body }), undefined).name).toBe('user');
  },
);

test('an answer keeps its source', () => {
  expect(presentationOf(aMessage({ from: from('applet'), kind: 'assistant' }), undefined).source).toBe('applet');
});

test('a removed message keeps its side', () => {
  const removed_at = '2026-03-02T09:15:00.000Z';
  const presentation = presentationOf(aMessage({ removed_at }), 'per_mara');
  expect(presentation).toMatchObject({ side: 'end', layout: 'speech', isRemoved: true });
});

test("only the reader's own messages are at the end", () => {
  const sideFor = (reader: string | undefined) => presentationOf(aMessage(), reader).side;
  expect([sideFor('per_mara'), sideFor('per_tobias'), sideFor(undefined)]).toEqual(['end', 'start', 'start']);
});

test('a removed tool result cannot be expanded', () => {
  const removed_at = '2026-03-02T09:15:00.000Z';
  const presentation = presentationOf(aMessage({ from: from('tool'), kind: 'tool_result', removed_at }), undefined);
  expect(presentation).toMatchObject({ name: 'tool', layout: 'note', side: 'centre' });
});

import { describe, expect, it } from 'vitest';
import type { Member, Presence } from '../../api/model';
import { anAgent, aPerson } from '../../state/testing/fixtures';
import { COMMANDS } from '../command/commands';
import {
  completionAt,
  insertion,
  type MentionCandidates,
  type Suggestion,
  suggestCommands,
  suggestMembers,
} from './completion';

function person(id: string, name: string): Member {
  return { type: 'person', id, name, person: aPerson(id, name) };
}
function agent(id: string, name: string): Member {
  return { type: 'agent', id, name, agent: anAgent(id, name) };
}

const MEMBERS = [
  person('per_mara', 'Mara'),
  person('per_jurgen', 'Jürgen'),
  agent('agt_1', 'Coder'),
  agent('agt_2', 'Code Reviewer'),
  agent('agt_3', 'Decoder'),
  person('per_ines', 'Ines'),
];

function candidates(more: Partial<MentionCandidates> = {}): MentionCandidates {
  const readers = new Set(MEMBERS.map((one) => one.id).filter((id) => id !== 'per_ines'));
  return { members: MEMBERS, readers, presence: new Map(), self: 'per_mara', ...more };
}

function there(...ids: string[]): ReadonlyMap<string, Presence> {
  return new Map(ids.map((id) => [id, { member_id: id, state: 'idle' } as Presence]));
}

function shown(suggestions: readonly Suggestion[]): string[] {
  return suggestions.map((one) => one.inserts);
}

describe('completionAt', () => {
  /** `|` is the caret. */
  function at(marked: string) {
    const caret = marked.indexOf('|');
    return completionAt(marked.replace('|', ''), caret);
  }

  it('finds the name behind the @ before the caret, with the rest of its word', () => {
    expect(at('Hi @Co|')).toEqual({ kind: 'mention', start: 3, end: 6, query: 'Co' });
    expect(at('Hi @Co|der, hi')).toEqual({ kind: 'mention', start: 3, end: 9, query: 'Co' });
    expect(at('@|')).toMatchObject({ query: '' });
    expect(at('@Code Rev|')).toMatchObject({ query: 'Code Rev' });
  });

  it('finds nothing in mail, code, addresses, over lines, and behind a blank', () => {
    for (const text of ['a@b|', '`@co|`', 'https://x/@y|', '@Co\nder|', '@ x|', 'plain|', '```\n@co|'])
      expect(at(text), text).toBeUndefined();
  });

  it('finds a command only at the start of the text', () => {
    expect(at('/to|')).toEqual({ kind: 'command', start: 0, end: 3, query: 'to' });
    expect(at('/|')).toMatchObject({ kind: 'command', query: '' });
    expect(at('x /to|')).toBeUndefined();
    expect(at('//|')).toBeUndefined();
    expect(at('/us|r/bin')).toBeUndefined();
  });

  it('takes the name behind /dm without an @', () => {
    expect(at('/dm Co|')).toEqual({ kind: 'mention', start: 4, end: 6, query: 'Co' });
    expect(at('/dm @Co|')).toMatchObject({ kind: 'mention', start: 4, query: 'Co' });
    expect(at('/topic Co|')).toBeUndefined();
  });
});

describe('suggestMembers', () => {
  it('ranks starts of names before later words before inner matches', () => {
    expect(shown(suggestMembers('code', candidates()))).toEqual(['@Code Reviewer', '@Coder', '@Decoder']);
    expect(shown(suggestMembers('rev', candidates()))).toEqual(['@Code Reviewer']);
  });

  it('ranks online members first among equals, and members outside the conversation last', () => {
    const presence = there('agt_1', 'per_ines');
    expect(shown(suggestMembers('', candidates({ presence })))).toEqual([
      '@Coder',
      '@Code Reviewer',
      '@Decoder',
      '@Jürgen',
      '@everyone',
      '@agents',
      '@Ines',
    ]);
    expect(suggestMembers('ines', candidates({ presence }))).toMatchObject([{ isReader: false, presence: 'idle' }]);
  });

  it('ignores case and accents', () => {
    expect(shown(suggestMembers('JUR', candidates()))).toEqual(['@Jürgen']);
    expect(shown(suggestMembers('jür', candidates()))).toEqual(['@Jürgen']);
  });

  it('treats a space as part of a name', () => {
    expect(shown(suggestMembers('code r', candidates()))).toEqual(['@Code Reviewer']);
    expect(suggestMembers('coder ', candidates())).toEqual([]);
  });

  it('shows who is called by wide mentions', () => {
    expect(suggestMembers('every', candidates())).toMatchObject([
      { about: 'Calls all 3 agents and notifies 1 person' },
    ]);
    expect(suggestMembers('agents', candidates())).toMatchObject([{ about: 'Calls all 3 agents' }]);
    expect(suggestMembers('every', candidates({ readers: new Set(['per_mara', 'per_jurgen']) }))).toEqual([]);
  });

  it('inserts the id of a member with an ambiguous name', () => {
    const members = [...MEMBERS, person('per_2', 'coder')];
    expect(shown(suggestMembers('coder', candidates({ members })))).toEqual(
      expect.arrayContaining(['@agt_1', '@per_2']),
    );
  });

  it('limits the number of suggestions', () => {
    const members = Array.from({ length: 200 }, (_, number) => agent(`agt_${number}`, `Bot ${number}`));
    expect(suggestMembers('bot', candidates({ members }))).toHaveLength(50);
  });
});

describe('insertion', () => {
  const coder = suggestMembers('coder', candidates())[0] as Suggestion;

  it('inserts a space after a name unless there is one', () => {
    expect(insertion('@co', { kind: 'mention', start: 0, end: 3, query: 'co' }, coder)).toBe('@Coder ');
    expect(insertion('@co x', { kind: 'mention', start: 0, end: 3, query: 'co' }, coder)).toBe('@Coder');
  });

  it('inserts no space after a command without arguments', () => {
    const completion = { kind: 'command', start: 0, end: 1, query: '' } as const;
    const [help, dm] = ['help', 'dm'].map((name) => suggestCommands(name, COMMANDS)[0] as Suggestion);
    expect(insertion('/', completion, help as Suggestion)).toBe('/help');
    expect(insertion('/', completion, dm as Suggestion)).toBe('/dm ');
  });
});

it('suggests commands by their beginning first', () => {
  expect(shown(suggestCommands('c', COMMANDS)).slice(0, 2)).toEqual(['/critical', '/channel']);
  expect(suggestCommands('', COMMANDS)).toHaveLength(COMMANDS.length);
  expect(suggestCommands('zz', COMMANDS)).toEqual([]);
});

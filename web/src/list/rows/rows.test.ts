import { describe, expect, test } from 'vitest';
import type { Message } from '../../api/model';
import { aMessage, aQuestion, fixedMessageList } from '../../state/testing/fixtures';
import { createRowFacts, dayOf, isShifted, kindOf, overlaps, rowsOf, type UnreadSpan } from './rows';

const NOON = new Date(2026, 2, 2, 12, 0).getTime();

/** Messages one minute apart, numbered from 1, each with its own fields. */
function messages(...fields: Partial<Message>[]): Message[] {
  return fields.map((one, index) =>
    aMessage({ id: `m${index + 1}`, seq: index + 1, created_at: minute(index), ...one }),
  );
}

function minute(count: number): string {
  return new Date(NOON + count * 60_000).toISOString();
}

function rows(list: readonly Message[], unread?: UnreadSpan) {
  const facts = createRowFacts(fixedMessageList(list), () => 'per_mara');
  return rowsOf(
    list.map((message) => message.id),
    facts,
    unread,
  );
}

const tobias = { from: { type: 'person' as const, id: 'per_tobias', name: 'Tobias' } };
const coder = { from: { type: 'agent' as const, id: 'agt_coder', name: 'Coder' }, kind: 'assistant' as const };

describe('days', () => {
  test('a date row precedes the first message of each day', () => {
    const list = messages({}, {}, { created_at: new Date(2026, 2, 3, 0, 1).toISOString() });
    expect(rows(list).keys).toEqual(['top', 'day:2026-3-2', 'm1', 'm2', 'day:2026-3-3', 'm3', 'bottom']);
  });

  test('a day that starts twice has two keys', () => {
    const next = new Date(2026, 2, 3, 0, 1).toISOString();
    const { keys } = rows(messages({}, { created_at: next }, {}));
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.filter((key) => kindOf(key) === 'day')).toHaveLength(3);
  });

  test('the key of a date row contains its day', () => {
    expect(dayOf('day:2026-3-2')).toBe(new Date(2026, 2, 2).getTime());
    expect(dayOf('day:2026-3-2:m9')).toBe(new Date(2026, 2, 2).getTime());
  });
});

describe('shared heads', () => {
  const continued = (...fields: Partial<Message>[]) => [...rows(messages(...fields)).continued];

  test('one author within five minutes shares a head', () => {
    expect(continued({}, {}, {})).toEqual(['m2', 'm3']);
    expect(continued({}, { created_at: minute(5) })).toEqual(['m2']);
    expect(continued({}, { created_at: minute(5.1) })).toEqual([]);
  });

  test('a message below a question card has a head', () => {
    expect(continued({ ...coder, blocking: true, question: aQuestion() }, coder, coder)).toEqual(['m3']);
  });

  test('another author or another form has a head', () => {
    expect(continued({}, tobias)).toEqual([]);
    expect(continued(coder, { ...coder, kind: 'user' })).toEqual([]);
  });

  test('host messages and tool results neither share nor give a header', () => {
    const host = { from: { type: 'host' as const, name: 'Parlour' }, kind: 'host' as const };
    expect(continued(host, host)).toEqual([]);
    expect(continued({}, { kind: 'tool_result' }, {})).toEqual([]);
  });

  test('important and blocking messages have their own header, which the next one may share', () => {
    expect(continued({}, { importance: 'high' })).toEqual([]);
    expect(continued({}, { blocking: true }, {})).toEqual(['m3']);
  });

  test('a separator row ends the sharing', () => {
    expect([...rows(messages(tobias, tobias), { after: 1, upTo: 2 }).continued]).toEqual([]);
    expect(continued({}, { created_at: new Date(2026, 2, 3).toISOString() })).toEqual([]);
  });

  test('an outgoing message shares the header of the reader', () => {
    const [sent] = messages({});
    const out = { id: 'out', at: NOON + 1_000, importance: 'normal', blocking: false };
    const messageList = fixedMessageList(sent ? [sent] : [], {
      outgoing: (id) => (id === 'out' ? (out as never) : undefined),
    });
    const made = rowsOf(
      ['m1', 'out'],
      createRowFacts(messageList, () => 'per_mara'),
      undefined,
    );
    expect([...made.continued]).toEqual(['out']);
  });
});

describe('the unread line', () => {
  const unreadAt = (list: readonly Message[], unread: UnreadSpan) => {
    const { keys } = rows(list, unread);
    return keys[keys.indexOf('unread') + 1];
  };

  test('is before the first unread message of somebody else', () => {
    const list = messages(tobias, {}, tobias, tobias);
    expect(unreadAt(list, { after: 1, upTo: 4 })).toBe('m3');
  });

  test('is missing when only own messages follow', () => {
    expect(rows(messages(tobias, {}), { after: 1, upTo: 2 }).keys).not.toContain('unread');
  });

  test('does not appear for messages that arrive while the page is watched', () => {
    expect(rows(messages(tobias, tobias), { after: 1, upTo: 1 }).keys).not.toContain('unread');
  });

  test('appears when the first unread message is loaded', () => {
    const late = messages({}, {}, tobias).slice(2);
    expect(rows(late, { after: 1, upTo: 3 }).keys).not.toContain('unread');
    expect(rows(late, { after: 2, upTo: 3 }).keys).toContain('unread');
  });
});

test('facts of a message are read once', () => {
  let reads = 0;
  const [one = aMessage()] = messages({});
  const messageList = fixedMessageList([one], {
    message: () => {
      reads += 1;
      return one;
    },
  });
  const facts = createRowFacts(messageList, () => 'per_mara');
  facts('m1');
  facts('m1');
  expect(reads).toBe(1);
});

test('older rows in front are a shift, newer ones are not', () => {
  const before = ['top', 'day:2026-3-2', 'm3', 'm4', 'bottom'];
  expect(isShifted(before, ['top', 'day:2026-3-2', 'm2', 'm3', 'm4', 'bottom'])).toBe(true);
  expect(isShifted(before, ['top', 'day:2026-3-2', 'm3', 'm4', 'm5', 'bottom'])).toBe(false);
  expect(isShifted(['top', 'bottom'], before)).toBe(false);
});

test('another stretch of the conversation has no end in common', () => {
  const before = ['top', 'day:2026-3-2', 'm3', 'm4', 'bottom'];
  expect(overlaps(before, ['top', 'day:2026-3-1', 'm1', 'bottom'])).toBe(false);
  expect(overlaps(before, ['top', 'm4', 'm5', 'bottom'])).toBe(true);
  expect(overlaps(before, ['top', 'm2', 'm3', 'bottom'])).toBe(true);
  expect(overlaps(['top', 'bottom'], before)).toBe(true);
});

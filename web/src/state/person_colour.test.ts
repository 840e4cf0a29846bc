import { describe, expect, test } from 'vitest';
import { assignColours, PERSON_COLOURS, personColour } from './person_colour';
import { aPerson, aSnapshot } from './testing/fixtures';

const ids = Array.from({ length: PERSON_COLOURS * 2 }, (_, index) => `per_01M7PVY941EA6R072BH6HKWG${index}`);

describe('the colours of people', () => {
  test('are different while there are enough of them', () => {
    const colours = assignColours(ids.slice(0, PERSON_COLOURS));
    expect(new Set(colours.values()).size).toBe(PERSON_COLOURS);
  });

  test('are used equally often by a large project', () => {
    const counts = new Map<number, number>();
    for (const colour of assignColours(ids).values()) counts.set(colour, (counts.get(colour) ?? 0) + 1);
    expect([...counts.values()]).toEqual(Array(PERSON_COLOURS).fill(2));
  });

  test('depend on the ids, not on their order', () => {
    expect(assignColours(ids.toReversed())).toEqual(assignColours(ids));
  });

  test('stay when a newer person joins', () => {
    const before = assignColours(ids.slice(0, 3));
    const after = assignColours(ids.slice(0, 4));
    for (const [id, colour] of before) expect(after.get(id)).toBe(colour);
  });
});

describe('the colour of an author', () => {
  const people = [aPerson(), aPerson('per_tobias', 'Tobias'), aPerson('per_ines', 'Ines')];
  const snapshot = aSnapshot({ people });
  const person = (id: string) => ({ type: 'person', id });

  test('is none for the reader and for agents', () => {
    expect(personColour(snapshot, person('per_mara'))).toBeUndefined();
    expect(personColour(snapshot, { type: 'agent', id: 'agt_coder' })).toBeUndefined();
  });

  test('differs between people and is the same for every reader', () => {
    const ofTobias = personColour(snapshot, person('per_tobias'));
    expect(ofTobias).not.toBe(personColour(snapshot, person('per_ines')));
    expect(personColour({ people, reader: 'per_ines' }, person('per_tobias'))).toBe(ofTobias);
  });

  test('is known for former members and imported authors', () => {
    expect(personColour(snapshot, person('pynchy:u-7'))).toBeGreaterThan(0);
  });
});

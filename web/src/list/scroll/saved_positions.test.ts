import { beforeEach, expect, test } from 'vitest';
import { createSavedPositions, SAVED_POSITIONS_MAX } from './saved_positions';

const HERE = { at: 'message', id: 'msg_1', distance: 12.5 } as const;

beforeEach(() => sessionStorage.clear());

test('a saved position is restored, also after a reload', () => {
  createSavedPositions(() => sessionStorage).leave('chn_1', HERE);
  expect(createSavedPositions(() => sessionStorage).find('chn_1')).toEqual(HERE);
});

test('each conversation has its own', () => {
  const savedPositions = createSavedPositions(() => sessionStorage);
  savedPositions.leave('chn_1', HERE);
  savedPositions.leave('chn_2', { at: 'end' });
  expect(savedPositions.find('chn_1')).toEqual(HERE);
  expect(savedPositions.find('chn_2')).toEqual({ at: 'end' });
});

test('the oldest positions are dropped', () => {
  const savedPositions = createSavedPositions(() => sessionStorage);
  savedPositions.leave('first', HERE);
  for (let count = 1; count < SAVED_POSITIONS_MAX; count += 1) savedPositions.leave(`chn_${count}`, HERE);
  savedPositions.leave('first', HERE);
  savedPositions.leave('one more', HERE);
  expect(savedPositions.find('first')).toEqual(HERE);
  expect(savedPositions.find('chn_1')).toBeUndefined();
});

test('stored positions that cannot be parsed are ignored', () => {
  sessionStorage.setItem('parlour.places', '[["chn_1",{"at":"message"}],["chn_2",{"at":"end"}],7]');
  const savedPositions = createSavedPositions(() => sessionStorage);
  expect(savedPositions.find('chn_1')).toBeUndefined();
  expect(savedPositions.find('chn_2')).toEqual({ at: 'end' });
  sessionStorage.setItem('parlour.places', 'not json');
  expect(createSavedPositions(() => sessionStorage).find('chn_2')).toBeUndefined();
});

test('without a storage, positions last as long as the page', () => {
  const savedPositions = createSavedPositions(() => {
    throw new Error('forbidden');
  });
  savedPositions.leave('chn_1', HERE);
  expect(savedPositions.find('chn_1')).toEqual(HERE);
});

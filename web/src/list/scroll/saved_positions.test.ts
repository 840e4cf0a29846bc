import { beforeEach, expect, test } from 'vitest';
import { createPlaces, PLACES_MAX } from './saved_positions';

const HERE = { at: 'message', id: 'msg_1', distance: 12.5 } as const;

beforeEach(() => sessionStorage.clear());

test('a place is found again, also after the page was loaded anew', () => {
  createPlaces(() => sessionStorage).leave('chn_1', HERE);
  expect(createPlaces(() => sessionStorage).find('chn_1')).toEqual(HERE);
});

test('each conversation has its own', () => {
  const places = createPlaces(() => sessionStorage);
  places.leave('chn_1', HERE);
  places.leave('chn_2', { at: 'end' });
  expect(places.find('chn_1')).toEqual(HERE);
  expect(places.find('chn_2')).toEqual({ at: 'end' });
});

test('the ones left longest ago are forgotten', () => {
  const places = createPlaces(() => sessionStorage);
  places.leave('first', HERE);
  for (let count = 1; count < PLACES_MAX; count += 1) places.leave(`chn_${count}`, HERE);
  places.leave('first', HERE);
  places.leave('one more', HERE);
  expect(places.find('first')).toEqual(HERE);
  expect(places.find('chn_1')).toBeUndefined();
});

test('what is stored and cannot be read is passed over', () => {
  sessionStorage.setItem('parlour.places', '[["chn_1",{"at":"message"}],["chn_2",{"at":"end"}],7]');
  const places = createPlaces(() => sessionStorage);
  expect(places.find('chn_1')).toBeUndefined();
  expect(places.find('chn_2')).toEqual({ at: 'end' });
  sessionStorage.setItem('parlour.places', 'not json');
  expect(createPlaces(() => sessionStorage).find('chn_2')).toBeUndefined();
});

test('without a storage places last as long as the page', () => {
  const places = createPlaces(() => {
    throw new Error('forbidden');
  });
  places.leave('chn_1', HERE);
  expect(places.find('chn_1')).toEqual(HERE);
});

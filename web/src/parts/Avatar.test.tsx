import { cleanup, render } from '@solidjs/testing-library';
import { afterEach, expect, test } from 'vitest';
import { Avatar, initials } from './Avatar';

afterEach(cleanup);

test.each([
  ['mara', 1, 'M'],
  ['coder', 2, 'Co'],
  [' élan', 2, 'Él'],
  ['👩‍🔬 lab', 1, '👩‍🔬'],
  ['', 2, '?'],
])('the initials of %j, at most %d, are %s', (name, count, letters) => {
  expect(initials(name, count)).toBe(letters);
});

test('people have one letter, agents two, and applets an icon', () => {
  const lettersOf = (shape: 'person' | 'agent' | 'applet') => {
    const { container } = render(() => <Avatar name="Coder" shape={shape} />);
    const avatar = container.querySelector('.avatar');
    return [avatar?.getAttribute('data-initials'), avatar?.querySelector('svg') !== null];
  };
  expect(lettersOf('person')).toEqual(['C', false]);
  expect(lettersOf('agent')).toEqual(['Co', false]);
  expect(lettersOf('applet')).toEqual(['', true]);
});

test('an avatar is hidden from screen readers, with a dot for the presence', () => {
  const { container } = render(() => <Avatar name="Coder" shape="agent" presence="paused" />);
  expect(container.querySelector('.avatar')?.getAttribute('aria-hidden')).toBe('true');
  expect(container.querySelector('.presence-dot')?.getAttribute('data-presence')).toBe('paused');
});

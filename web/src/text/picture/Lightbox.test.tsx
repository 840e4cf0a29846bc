import { afterEach, expect, it } from 'vitest';
import { openLightbox } from './Lightbox';

const PICTURES = [
  { src: '/artifacts/art_1/content', alt: 'First' },
  { src: '/artifacts/art_2/content', alt: 'Second' },
];

const dialog = () => document.querySelector<HTMLDialogElement>('dialog.lightbox');
const shown = () => dialog()?.querySelector('img')?.alt;

afterEach(() => {
  dialog()?.dispatchEvent(new Event('cancel'));
  document.body.replaceChildren();
});

it('shows the picture that was asked for, with its words and its place', () => {
  openLightbox(PICTURES, 1);
  expect(shown()).toBe('Second');
  expect(dialog()?.textContent).toContain('2 of 2');
  expect(dialog()?.querySelector('a')?.getAttribute('href')).toBe('/artifacts/art_2/content');
});

it('wraps around with the arrow keys', () => {
  openLightbox(PICTURES, 1);
  const press = (key: string) => dialog()?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  press('ArrowRight');
  expect(shown()).toBe('First');
  press('ArrowLeft');
  expect(shown()).toBe('Second');
});

it('closes and gives the focus back', () => {
  const button = document.createElement('button');
  document.body.append(button);
  button.focus();
  openLightbox(PICTURES, 0);
  dialog()?.dispatchEvent(new Event('cancel', { cancelable: true }));
  expect(dialog()).toBeNull();
  expect(document.activeElement).toBe(button);
});

it('closes by a click outside its buttons', () => {
  openLightbox(PICTURES, 0);
  dialog()
    ?.querySelector('img')
    ?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
  expect(dialog()).toBeNull();
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FLUSH_CHARS, FLUSH_MS, TextView } from './text_view';

let root: HTMLElement;
let settled: HTMLElement[];
let view: TextView;

beforeEach(() => {
  vi.useFakeTimers();
  root = document.createElement('div');
  document.body.append(root);
  settled = [];
  view = new TextView(root, {}, (block) => settled.push(block));
});

afterEach(() => {
  view.close();
  root.remove();
  vi.useRealTimers();
});

describe('a text that grows', () => {
  it('shows what is typed at once, and reads it after a while', () => {
    view.grow('a ');
    view.grow('a **b');
    expect(root.textContent).toBe('a**b');
    vi.advanceTimersByTime(FLUSH_MS);
    expect(root.innerHTML).toContain('<strong>b<');
  });

  it('reads it at once when much was typed', () => {
    view.grow('a ');
    view.grow(`a **b** ${'c'.repeat(FLUSH_CHARS)}`);
    expect(root.querySelector('strong')?.textContent).toBe('b');
  });

  it('puts what follows into the mark that is open', () => {
    view.grow('a **bold');
    view.grow('a **bold and more');
    expect(root.querySelector('strong')?.textContent).toBe('bold and more');
  });

  it('puts what follows behind a mark that was closed', () => {
    view.grow('a **bold**');
    view.grow('a **bold** and more');
    expect(root.querySelector('strong')?.textContent).toBe('bold');
    expect(root.textContent).toContain('and more');
  });

  it('puts what follows into the last cell, item and code', () => {
    for (const [text, selector] of [
      ['| a | b |\n|---|---|\n| one', 'tbody td'],
      ['- a\n  - b', 'li li'],
      ['```js\nlet', 'pre > code'],
      ['- [x] do', '.task > span'],
    ] as const) {
      view.finish('');
      view.grow(text);
      view.grow(`${text}!!`);
      expect(root.querySelector(selector)?.textContent).toMatch(/!!$/);
    }
  });

  it('ends in a cursor, which is gone in the end', () => {
    view.grow('text');
    expect(root.querySelector('#workingCursor')).not.toBeNull();
    view.finish('text');
    expect(root.innerHTML).toBe('<p>text</p>');
  });

  it('gives the id of the cursor to the newest text', () => {
    view.grow('one');
    const other = document.createElement('div');
    const second = new TextView(other, {}, () => {});
    second.grow('two');
    expect(root.querySelector('.working-cursor')?.id).toBe('');
    expect(other.querySelector('.working-cursor')?.id).toBe('workingCursor');
    second.finish('two');
    expect(root.querySelector('.working-cursor')?.id).toBe('workingCursor');
  });

  it('keeps every element that was shown when it ends', () => {
    view.grow('# Title\n\nfirst\n\nsecond **par');
    vi.advanceTimersByTime(FLUSH_MS);
    const before = [...root.children];
    view.finish('# Title\n\nfirst\n\nsecond **part**\n');
    expect([...root.children]).toEqual(before);
    expect(settled).toEqual(before);
    expect(root.querySelector('strong')?.textContent).toBe('part');
  });

  it('is built anew when it ends as another text', () => {
    view.grow('one');
    view.finish('two');
    expect(root.innerHTML).toBe('<p>two</p>');
  });

  it('starts again when it no longer begins as it did', () => {
    view.grow('one two');
    view.grow('three');
    vi.advanceTimersByTime(FLUSH_MS);
    expect(root.textContent).toBe('three');
  });

  it('returns each settled block once', () => {
    const text = 'one\n\ntwo\n\nthree\n\n';
    for (let end = 1; end <= text.length; end += 1) view.grow(text.slice(0, end));
    view.finish(text);
    expect(settled.map((block) => block.textContent)).toEqual(['one', 'two', 'three']);
  });
});

describe('a text that is whole', () => {
  it('is shown anew when it was edited', () => {
    view.finish('one');
    view.finish('two');
    expect(root.innerHTML).toBe('<p>two</p>');
  });

  it('stays when the notice is repeated', () => {
    view.finish('one');
    const block = root.firstChild;
    view.finish('one');
    expect(root.firstChild).toBe(block);
  });
});

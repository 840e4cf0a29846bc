import { fireEvent } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Message } from '../../api/model';
import { anAnswer, aStep, growingText, renderRow } from '../testing';

const NOW = Date.parse('2026-03-02T09:12:12.400Z');
beforeEach(() => void vi.useFakeTimers({ now: NOW }));
afterEach(() => void vi.useRealTimers());

const head = (article: Element) => article.querySelector<HTMLButtonElement>('.activity-head');
const lines = (article: Element) => [...article.querySelectorAll('.step-line')].map((line) => line.textContent);

describe('while an answer is written', () => {
  const running = [aStep({ output: { matches: 38 } }), aStep({ id: 's2', name: 'cargo check', finished_at: null })];
  const streaming = () =>
    renderRow({
      message: anAnswer({ state: 'streaming', body: '' }),
      messageList: { steps: () => running, growing: () => growingText() },
    });

  test('its steps are open', () => {
    const { article } = streaming();
    expect(head(article)?.getAttribute('aria-expanded')).toBe('true');
    expect(lines(article)).toEqual(['rg epoch38 matches', 'cargo checkrunning']);
  });

  test('its time runs', () => {
    const { article } = streaming();
    expect(head(article)?.textContent).toBe('Working12 s');
    vi.advanceTimersByTime(2_000);
    expect(head(article)?.textContent).toBe('Working14 s');
  });

  test('the folded box names the running step', () => {
    const { article } = streaming();
    fireEvent.click(head(article) as Element);
    expect(head(article)?.textContent).toBe('cargo check12 s');
    expect(lines(article)).toEqual([]);
  });
});

describe('after an answer', () => {
  const usage = { model: 'm', output_tokens: 812, duration_ms: 4_200 };
  const message = anAnswer({ steps: [aStep({ input: 'epoch', output: 'a\nb' })], usage });

  test('its steps are folded to a summary', () => {
    const { article } = renderRow({ message });
    expect(head(article)?.textContent).toBe('1 step · 4.2 s · 812 tokens');
    expect(head(article)?.getAttribute('aria-expanded')).toBe('false');
    expect(lines(article)).toEqual([]);
  });

  test('a step opens to its input and output', () => {
    const { article } = renderRow({ message });
    fireEvent.click(head(article) as Element);
    fireEvent.click(article.querySelector('button.step-line') as Element);
    const values = [...article.querySelectorAll('.step-value')].map((value) => value.textContent);
    expect(values).toEqual(['Inputepoch', 'Outputa\nb']);
  });

  test('no timer is left', () => {
    renderRow({ message });
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('the box folds when the answer ends, unless the reader opened it', () => {
  for (const [clicks, expanded] of [
    [0, 'false'],
    [2, 'true'],
  ] as const) {
    const [message, setMessage] = createSignal<Message>(anAnswer({ state: 'streaming', body: '' }));
    const { article } = renderRow({ message: message(), messageList: { message, steps: () => [aStep()] } });
    for (let click = 0; click < clicks; click += 1) fireEvent.click(head(article) as Element);
    setMessage(anAnswer({ steps: [aStep()] }));
    expect(head(article)?.getAttribute('aria-expanded')).toBe(expanded);
  }
});

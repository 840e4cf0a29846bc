import { fireEvent } from '@solidjs/testing-library';
import { describe, expect, test, vi } from 'vitest';
import type { Message } from '../../api/model';
import { Refusal } from '../../api/refusal';
import { takesFocus } from '../../platform/focus';
import { aMessage } from '../../state/testing/fixtures';
import { anAnswer, growingText, renderRow } from '../testing';
import { failureText } from './FailedAnswer';
import { needsNoQuote } from './Quote';

describe('an answer that is being written', () => {
  test('shows dots until its first character', () => {
    const text = growingText();
    const message = anAnswer({ state: 'streaming', body: '' });
    const { article, getByLabelText, queryByLabelText } = renderRow({ message, messageList: { growing: () => text } });
    getByLabelText('Coder is starting to answer');
    const before = text.listeners;
    text.add('T');
    expect(queryByLabelText('Coder is starting to answer')).toBeNull();
    expect(text.listeners).toBe(before - 1);
    expect(article.dataset.state).toBe('streaming');
  });

  test('has no dots when it has text already', () => {
    const text = growingText();
    text.add('The cause');
    const message = anAnswer({ state: 'streaming', body: '' });
    const { queryByLabelText } = renderRow({ message, messageList: { growing: () => text } });
    expect(queryByLabelText('Coder is starting to answer')).toBeNull();
  });
});

test.each<[Partial<Message>, string]>([
  [{ state: 'complete' }, ''],
  [{ state: 'streaming' }, ''],
  [
    { state: 'interrupted', reason: 'its producer gave no sign for 30 seconds' },
    'Interrupted: its producer gave no sign for 30 seconds. The text so far is kept.',
  ],
  [{ state: 'failed', reason: 'the model refused.', body: '' }, 'Failed: the model refused.'],
  [{ state: 'cancelled', reason: null }, 'Stopped. The text so far is kept.'],
])('%o ends with: %s', (more, text) => {
  expect(failureText(anAnswer(more))).toBe(text);
});

describe('Ask again', () => {
  const message = anAnswer({ state: 'interrupted', reason: 'silence' });

  test('asks the reader’s own question again', async () => {
    const { getByText, asked } = renderRow({ message, answers: { askAgain: async () => true } });
    fireEvent.click(getByText('Ask again'));
    await vi.waitFor(() => expect(asked()).toEqual(['askAgain']));
  });

  test('starts a draft when the question was asked by somebody else', async () => {
    let focused = 0;
    const end = takesFocus('composer', 'chn_general', () => {
      focused += 1;
    });
    const { getByText, store } = renderRow({ message, answers: { askAgain: async () => false } });
    fireEvent.click(getByText('Ask again'));
    await vi.waitFor(() => expect(store.draft('chn_general').text).toBe('@Coder '));
    expect(focused).toBe(1);
    end();
  });

  test('does nothing more when the hub refuses', async () => {
    const answers = { askAgain: () => Promise.reject(new Refusal('PARLOUR-A02', 'Not allowed.')) };
    const { getByText, asked } = renderRow({ message, answers });
    fireEvent.click(getByText('Ask again'));
    await Promise.resolve();
    expect(asked()).toEqual(['askAgain']);
  });
});

describe('the quoted message', () => {
  const question = aMessage({ id: 'msg_0', seq: 7, body: 'Why does **resume** fail?' });

  test('is above it in one line', () => {
    const message = aMessage({ reply_to: 'msg_0', seq: 9 });
    const { article } = renderRow({ message, others: [question] });
    expect(article.querySelector('.message-quote')?.textContent).toBe('Mara Why does resume fail?');
  });

  test('is fetched when it is not loaded', async () => {
    const message = aMessage({ reply_to: 'msg_0', seq: 9 });
    const { article } = renderRow({ message, answers: { findMessage: async () => question } });
    await vi.waitFor(() => expect(article.querySelector('.message-quote')?.textContent).toContain('resume fail'));
  });

  test('is reported as not available when it is gone', async () => {
    const message = aMessage({ reply_to: 'msg_0', seq: 9 });
    const { findByText } = renderRow({ message });
    expect((await findByText('Message not available')).closest('.message-quote')).not.toBeNull();
  });

  test('is not shown right below the question', () => {
    const answer = anAnswer({ seq: 8 });
    expect(needsNoQuote(answer, question)).toBe(true);
    expect(needsNoQuote(anAnswer({ seq: 9 }), question)).toBe(false);
    expect(needsNoQuote(answer, undefined)).toBe(false);
    expect(needsNoQuote(aMessage({ seq: 8 }), question)).toBe(false);
  });
});

test('images have a preview, files a card', () => {
  const attachments = [
    { filename: 'shot.png', media_type: 'image/png', size: 900, artifact_id: 'art_1' },
    { filename: 'log.txt', media_type: 'text/plain', size: 812, artifact_id: 'art_2' },
  ];
  const { article, getByLabelText } = renderRow({ message: aMessage({ attachments }) });
  expect(getByLabelText('Open shot.png').querySelector('img')?.getAttribute('src')).toBe('/artifacts/art_1/content');
  const card = article.querySelector<HTMLAnchorElement>('a.file-card');
  expect(card?.getAttribute('download')).toBe('log.txt');
  expect(card?.textContent).toBe('log.txtTXT · 812 bytes');
});

test('an artifact is named as soon as it is found', async () => {
  const found = { id: 'art_9', filename: 'report.pdf', media_type: 'application/pdf', size: 14_200 };
  const { findByText } = renderRow({
    message: aMessage({ artifacts: ['art_9'] }),
    answers: { findArtifact: async () => found as never },
  });
  expect((await findByText('report.pdf')).closest('.file-card')?.getAttribute('download')).toBe('report.pdf');
});

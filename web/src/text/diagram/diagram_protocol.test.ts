import { expect, it } from 'vitest';
import { readDraw, readFrameMessage, SOURCE_CHARS_MAX, withVersion } from './diagram_protocol';

it('reads the messages of the protocol', () => {
  expect(readFrameMessage(withVersion({ type: 'ready' }))).toEqual({ type: 'ready' });
  expect(readFrameMessage(withVersion({ type: 'drawn', height: 120.4 }))).toEqual({ type: 'drawn', height: 121 });
  expect(readFrameMessage(withVersion({ type: 'failed', reason: 'no' }))).toEqual({ type: 'failed', reason: 'no' });
  const draw = { type: 'draw', source: 'graph TD', theme: 'dark' } as const;
  expect(readDraw(withVersion(draw))).toEqual(draw);
});

it.each([
  null,
  undefined,
  'ready',
  {},
  { type: 'ready' },
  { parlourDiagram: 2, type: 'ready' },
  { parlourDiagram: 1, type: 'other' },
  { parlourDiagram: 1, type: 'drawn', height: '1' },
  { parlourDiagram: 1, type: 'drawn', height: Number.NaN },
  { parlourDiagram: 1, type: 'drawn', height: -1 },
  { parlourDiagram: 1, type: 'failed', reason: {} },
])('rejects %j', (data) => {
  expect(readFrameMessage(data)).toBeUndefined();
  expect(readDraw(data)).toBeUndefined();
});

it('bounds what it takes', () => {
  expect(readFrameMessage(withVersion({ type: 'drawn', height: 1e9 }))).toEqual({ type: 'drawn', height: 4000 });
  const reason = readFrameMessage(withVersion({ type: 'failed', reason: 'x'.repeat(10_000) }));
  expect(reason).toEqual({ type: 'failed', reason: 'x'.repeat(500) });
  const source = 'x'.repeat(SOURCE_CHARS_MAX + 1);
  expect(readDraw(withVersion({ type: 'draw', source, theme: 'dark' }))).toBeUndefined();
});

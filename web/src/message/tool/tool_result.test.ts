import { expect, test } from 'vitest';
import type { Message } from '../../api/model';
import { aMessage } from '../../state/testing/fixtures';
import { type ToolResult, toolResultOf } from './tool_result';

const from = { type: 'tool', id: 'cargo', name: 'cargo' } as const;

/** The generated type has no fields. */
const noted = (fields: object) => fields as Message['metadata'];

test.each<[Partial<Message>, Partial<ToolResult>]>([
  [{}, { name: 'cargo', state: 'well', outcome: '' }],
  [
    { content: { name: 'cargo test resume', passed: 13, failed: 1 } },
    { name: 'cargo test resume', state: 'failed', outcome: '1 of 14 failed' },
  ],
  [{ content: { passed: 14, failed: 0, duration_ms: 1_800 } }, { state: 'well', outcome: '14 passed', took: '1.8 s' }],
  [{ content: { total: 3 } }, { outcome: '3 passed' }],
  [{ content: { exit_code: 2 } }, { state: 'failed', outcome: 'exit 2' }],
  [{ content: { exit_code: 0 } }, { state: 'well', outcome: '' }],
  [{ content: { exit_code: 0, is_error: true } }, { state: 'failed', outcome: 'failed' }],
  [{ metadata: noted({ is_error: true }) }, { state: 'failed', outcome: 'failed' }],
  [{ metadata: noted({ is_error: true }), content: { is_error: false } }, { state: 'well' }],
  [{ state: 'failed' }, { state: 'failed' }],
  [
    { state: 'interrupted', content: { passed: 3 } },
    { state: 'failed', outcome: '3 passed' },
  ],
  [{ state: 'streaming' }, { state: 'running', outcome: 'running' }],
  [{ content: { matches: 38 } }, { outcome: '38 matches' }],
  [{ content: 'plain' }, { name: 'cargo', outcome: '' }],
])('%o is read as %o', (more, result) => {
  expect(toolResultOf(aMessage({ from, kind: 'tool_result', ...more }))).toMatchObject(result);
});

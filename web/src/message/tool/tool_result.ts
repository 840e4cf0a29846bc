/** Summary of a tool result: name, state, duration. Pure. */
import type { Message } from '../../api/model';
import { durationText } from '../../parts/time/duration';
import { shortOutput } from '../activity/steps';

export interface ToolResult {
  readonly name: string;
  readonly state: 'running' | 'well' | 'failed';
  /** "1 of 14 failed", "38 matches", "exit 1"; empty without counts. */
  readonly outcome: string;
  /** "1.8 s" */
  readonly took?: string;
}

/** Used without counts; the icon alone shows success. */
const STATUS_TEXT = { running: 'running', well: '', failed: 'failed' } as const;

type Fields = Record<string, unknown>;

/** Reads the fields that producers set beside the text. The structured content wins over metadata. */
export function toolResultOf(message: Message): ToolResult {
  const fields: Fields = { ...fieldsOf(message.metadata), ...fieldsOf(message.content) };
  const state = message.state === 'streaming' ? 'running' : isFailure(message, fields) ? 'failed' : 'well';
  const ms = fields.duration_ms;
  return {
    name: firstText(fields.name, fields.tool, fields.command) ?? message.from.name,
    state,
    outcome: counts(fields) ?? shortOutput(withoutZero(fields)) ?? STATUS_TEXT[state],
    ...(typeof ms === 'number' ? { took: durationText(ms) } : {}),
  };
}

/** An explicit flag wins over numbers. */
function isFailure(message: Message, fields: Fields): boolean {
  if (message.state !== 'complete') return true;
  if (typeof fields.is_error === 'boolean') return fields.is_error;
  if (typeof fields.exit_code === 'number') return fields.exit_code !== 0;
  return typeof fields.failed === 'number' && fields.failed > 0;
}

/** "exit 0" says no more than the icon. */
function withoutZero(fields: Fields): Fields {
  const { exit_code, ...rest } = fields;
  return exit_code === 0 ? rest : fields;
}

/** Returns the test counts: failed of all, or passed. */
function counts(fields: Fields): string | undefined {
  const { failed, passed, total } = fields;
  const wrong = typeof failed === 'number' ? failed : 0;
  const all = typeof total === 'number' ? total : typeof passed === 'number' ? passed + wrong : undefined;
  if (all === undefined) return undefined;
  return wrong > 0 ? `${wrong} of ${all} failed` : `${all} passed`;
}

/** Both fields may have any shape. */
function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value.trim() !== '');
}

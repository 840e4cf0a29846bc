import { describe, expect, it } from 'vitest';
import type { Ask } from '../../api/model';
import { askToSend, OPTIONS_MAX, optionsOf, withDefault, withLabel, withOption, withoutOption } from './question_draft';

function written(...labels: string[]): Ask {
  return labels.reduce<Ask>((ask, label) => {
    const more = withOption(ask);
    return withLabel(more, more.options?.at(-1)?.id ?? '', label);
  }, {});
}

describe('a question that is written', () => {
  it('has ids that differ, also after one was removed', () => {
    const ask = withOption(withoutOption(written('A', 'B', 'C'), 'option-1'));
    const ids = optionsOf(ask).map((one) => one.id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has only so many options', () => {
    const ask = Array.from({ length: OPTIONS_MAX + 3 }).reduce<Ask>((one) => withOption(one), {});
    expect(ask.options).toHaveLength(OPTIONS_MAX);
  });

  it('loses its default when that option is removed', () => {
    const ask = withDefault(written('A', 'B'), 'option-1');
    expect(withoutOption(ask, 'option-1').default).toBeUndefined();
    expect(withoutOption(ask, 'option-2').default).toBe('option-1');
    expect(withDefault(ask, '')).not.toHaveProperty('default');
  });
});

describe('a question that is sent', () => {
  it('derives option ids from labels, and leaves out empty options', () => {
    const ask = withDefault(written('Keep in memory', '  ', ' Add a column '), 'option-3');
    expect(askToSend(ask)).toEqual({
      options: [
        { id: 'keep-in-memory', label: 'Keep in memory' },
        { id: 'add-a-column', label: 'Add a column' },
      ],
      default: 'add-a-column',
    });
  });

  it('distinguishes options with the same label, in any script', () => {
    const ids = askToSend(written('Yes', 'yes!', '是', '!?', 'x'.repeat(200)))?.options?.map((one) => one.id);
    expect(ids).toEqual(['yes', 'yes-2', '是', 'option', 'x'.repeat(60)]);
  });

  it('is undefined without options', () => {
    expect([askToSend(undefined), askToSend(written('', ' '))]).toEqual([undefined, undefined]);
    expect(askToSend({ expires_in_seconds: 600 })).toEqual({ expires_in_seconds: 600 });
  });
});

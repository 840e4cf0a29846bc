import { describe, expect, it } from 'vitest';
import { nameProblem } from './name_rules';

describe('a name', () => {
  it.each(['general', 'Coder-2', "Mara's notes", 'v0.4', '設計', 'Ünïcode_x', 'a'])('may be %s', (name) => {
    expect(nameProblem(name)).toBeUndefined();
  });

  it.each([
    ['', /at least one/],
    ['x'.repeat(65), /at most 64 characters; this has 65/],
    ['#general', /cannot contain “#”/],
    ['a/b', /cannot contain “\/”/],
    ['🚀', /cannot contain “🚀”/],
    ['-a', /starts with/],
    ['a.', /ends with/],
    ['a  b', /one space/],
    ['Everyone', /“Everyone” is a reserved name/],
  ])('may not be %j', (name, reason) => {
    expect(nameProblem(name)).toMatch(reason);
  });

  it('is counted in characters, not in their parts', () => {
    expect(nameProblem('𝒳'.normalize('NFKC').repeat(64))).toBeUndefined();
    expect(nameProblem('e\u0301'.repeat(64))).toBeUndefined();
  });
});

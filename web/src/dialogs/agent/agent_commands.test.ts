import { describe, expect, it } from 'vitest';
import { joinLines, runLine } from './agent_commands';

describe('the lines for a terminal', () => {
  it('start an agent with its own token', () => {
    expect(runLine('https://chat.example', 'eyJ.a-b_c')).toBe(
      'PARLOUR_URL=https://chat.example PARLOUR_TOKEN=eyJ.a-b_c parlour agent --claude-code',
    );
  });

  it('quote the invite link, so that the shell does not cut it at the #', () => {
    expect(joinLines('http://127.0.0.1:4870', 'parlour_inv_07')).toBe(
      "parlour join 'http://127.0.0.1:4870/#parlour_inv_07' NAME --save\nparlour agent --claude-code",
    );
  });

  it('quote every hub URL safely', () => {
    expect(runLine("http://it's", 'x')).toContain("PARLOUR_URL='http://it'\\''s' ");
  });
});

import { describe, expect, it } from 'vitest';
import { COMMANDS, commandsFor, parseCommand } from './commands';

describe('parseCommand', () => {
  it('takes known names with what follows', () => {
    expect(parseCommand('/topic Ship 0.4 ')).toMatchObject({
      type: 'command',
      command: { name: 'topic' },
      rest: 'Ship 0.4',
    });
    expect(parseCommand('/HELP')).toMatchObject({ type: 'command', command: { name: 'help' }, rest: '' });
    expect(parseCommand('/dm Coder\nhello')).toMatchObject({ rest: 'Coder\nhello' });
  });

  it('ignores texts that only begin with a slash', () => {
    for (const text of [
      '// a comment',
      '/usr/bin/env',
      '/',
      '/ help',
      ' /help',
      '/help/x',
      '/tmp.txt',
      'see /help',
      '',
    ]) {
      expect(parseCommand(text), text).toEqual({ type: 'text' });
    }
  });

  it('recognises unknown commands', () => {
    expect(parseCommand('/tpic x')).toEqual({ type: 'unknown', name: 'tpic', proposals: ['topic'] });
    expect(parseCommand('/etc')).toEqual({ type: 'unknown', name: 'etc', proposals: [] });
  });

  it('reads one or two message options', () => {
    expect(parseCommand('/high Look')).toEqual({ type: 'options', importance: 'high', text: 'Look' });
    expect(parseCommand('/wait')).toEqual({ type: 'options', blocking: true, text: '' });
    expect(parseCommand('/critical /wait Now')).toEqual({
      type: 'options',
      importance: 'critical',
      blocking: true,
      text: 'Now',
    });
    expect(parseCommand('/high /topic x')).toEqual({ type: 'options', importance: 'high', text: '/topic x' });
  });
});

describe('commandsFor', () => {
  const names = (place: Parameters<typeof commandsFor>[0]) => commandsFor(place).map((one) => one.name);

  it('offers the commands of the kind of conversation', () => {
    expect(names({ type: 'dm' })).not.toContain('topic');
    expect(names({ type: 'channel', isPrivate: false, mayManage: true })).toEqual(
      expect.arrayContaining(['topic', 'archive']),
    );
    expect(names({ type: 'channel', isPrivate: false, mayManage: true })).not.toContain('leave');
    expect(names({ type: 'channel', isPrivate: true, mayManage: false })).toEqual(expect.arrayContaining(['leave']));
    expect(names(undefined)).toContain('search');
  });

  it('is found in the order of the table, each once', () => {
    expect(new Set(COMMANDS.map((one) => one.name)).size).toBe(COMMANDS.length);
  });
});

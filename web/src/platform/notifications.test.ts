import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { notifications } from './notifications';

let shown: { title: string; options: object; onclick?: () => void; close(): void }[];

class Fake {
  static permission = 'default';
  static requestPermission = vi.fn(async () => {
    Fake.permission = 'granted';
  });
  onclick?: () => void;
  close = vi.fn();
  constructor(
    readonly title: string,
    readonly options: object,
  ) {
    shown.push(this);
  }
}

beforeEach(() => {
  shown = [];
  Fake.permission = 'default';
  vi.stubGlobal('Notification', Fake);
  vi.stubGlobal('isSecureContext', true);
  vi.stubGlobal('focus', () => {});
});
afterEach(() => vi.unstubAllGlobals());

const options = { title: 'Coder asks you', body: 'Column?', tag: 'msg_1', onClick: vi.fn() };

test('nothing is shown before it is allowed', async () => {
  notifications.show(options);
  expect([notifications.permission(), shown]).toEqual(['ask', []]);
  expect(await notifications.ask()).toBe('allowed');
  notifications.show(options);
  expect(shown).toMatchObject([{ title: 'Coder asks you', options: { body: 'Column?', tag: 'msg_1' } }]);
  shown[0]?.onclick?.();
  expect(options.onClick).toHaveBeenCalledOnce();
  expect(shown[0]?.close).toHaveBeenCalledOnce();
});

test('a denied permission is not requested again', async () => {
  Fake.permission = 'denied';
  Fake.requestPermission.mockClear();
  expect(await notifications.ask()).toBe('denied');
  expect(Fake.requestPermission).not.toHaveBeenCalled();
});

test('a page without TLS, and a phone that forbids the constructor, show nothing', () => {
  vi.stubGlobal('isSecureContext', false);
  expect(notifications.permission()).toBe('unsupported');
  vi.stubGlobal('isSecureContext', true);
  const forbidden = class {
    static permission = 'granted';
    constructor() {
      throw new TypeError('Illegal constructor');
    }
  };
  vi.stubGlobal('Notification', forbidden);
  expect(() => notifications.show(options)).not.toThrow();
});

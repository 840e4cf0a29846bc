/** The notifications of the browser: whether they may be shown, asking for that, and showing one. */

/** `ask`: nobody was asked yet. `unsupported`: this browser has none, or not for pages without TLS. */
export type Permission = 'allowed' | 'denied' | 'ask' | 'unsupported';

export interface Wish {
  readonly title: string;
  readonly body: string;
  /** A later one with the same tag takes its place. */
  readonly tag: string;
  onClick(): void;
}

export const notifications = {
  permission(): Permission {
    if (!('Notification' in globalThis) || !isSecureContext) return 'unsupported';
    const { permission } = Notification;
    return permission === 'granted' ? 'allowed' : permission === 'denied' ? 'denied' : 'ask';
  },

  /** Browsers ask only after a click. */
  async ask(): Promise<Permission> {
    if (this.permission() === 'ask') await Notification.requestPermission().catch(() => {});
    return this.permission();
  },

  show({ title, body, tag, onClick }: Wish): void {
    if (this.permission() !== 'allowed') return;
    try {
      const shown = new Notification(title, { body, tag });
      shown.onclick = () => {
        focus();
        onClick();
        shown.close();
      };
    } catch {
      // Some phones have the constructor and forbid it: the badge tells all the same.
    }
  },
};

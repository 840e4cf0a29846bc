/** Browser notifications: permission and display. */

/** `ask`: not decided yet. `unsupported`: not available in this browser or without TLS. */
export type Permission = 'allowed' | 'denied' | 'ask' | 'unsupported';

export interface NotificationOptions {
  readonly title: string;
  readonly body: string;
  /** A later notification with the same tag replaces it. */
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

  show({ title, body, tag, onClick }: NotificationOptions): void {
    if (this.permission() !== 'allowed') return;
    try {
      const shown = new Notification(title, { body, tag });
      shown.onclick = () => {
        focus();
        onClick();
        shown.close();
      };
    } catch {
      // Some phones have the constructor but forbid it; the badge is still shown.
    }
  },
};

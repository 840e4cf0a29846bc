/** Texts of the connection states. Pure. */
import type { Connection } from '../../state/contract';

export interface ConnectionText {
  readonly text: string;
  readonly tone: 'ok' | 'wait' | 'off';
  readonly canTryNow: boolean;
}

export function connectionText(connection: Connection, now: number): ConnectionText {
  switch (connection.state) {
    case 'live':
      return { text: 'Connected', tone: 'ok', canTryNow: false };
    case 'connecting':
      return { text: 'Connecting…', tone: 'wait', canTryNow: false };
    case 'offline':
      return { text: 'Offline', tone: 'off', canTryNow: true };
    case 'waiting': {
      const seconds = Math.max(0, Math.ceil((connection.retryAt - now) / 1_000));
      const text = `Reconnecting, try ${connection.attempt} ${seconds > 0 ? `in ${seconds} s` : 'now'}`;
      return { text, tone: 'wait', canTryNow: seconds > 0 };
    }
  }
}

import { cleanup, screen } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, describe, expect, it } from 'vitest';
import { unreachable } from '../api/refusal';
import type { Connection } from '../state/contract';
import { aMessage, fakeStore } from '../state/testing/fixtures';
import { renderWith, settled } from './testing';
import { useRootMessage } from './use_root_message';

const thread = { id: 'thr_1', project_id: 'prj_1', channel_id: 'chn_a', root_message_id: 'msg_1', created_at: '' };

function Title() {
  const root = useRootMessage(() => thread);
  return <p>{root()?.body ?? 'nothing'}</p>;
}

afterEach(cleanup);

describe('the first message of a thread', () => {
  it('is asked for again when the hub is back, and not once it is there', async () => {
    const [connection, setConnection] = createSignal<Connection>({ state: 'offline' });
    const findMessage = () =>
      connection().state === 'live' ? Promise.resolve(aMessage()) : Promise.reject(unreachable());
    const store = fakeStore({ connection }, { findMessage });
    renderWith(store, () => <Title />);
    await settled();
    expect(screen.getByText('nothing')).toBeTruthy();
    setConnection({ state: 'live' });
    await settled();
    expect(screen.getByText('Hello')).toBeTruthy();
    setConnection({ state: 'connecting' });
    setConnection({ state: 'live' });
    await settled();
    expect(store.asked).toHaveLength(2);
  });
});

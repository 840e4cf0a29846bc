import { cleanup, fireEvent, screen } from '@solidjs/testing-library';
import { afterEach, describe, expect, it } from 'vitest';
import { renderWith, settled } from '../../shell/testing';
import { aChannel, fakeStore } from '../../state/testing/fixtures';
import { EditChannel } from './EditChannel';

const AT = '2026-03-02T09:12:00.000Z';

function show(more = {}) {
  const store = fakeStore();
  renderWith(store, () => <EditChannel channel={aChannel('chn_a', 'release', more)} onClose={() => {}} />);
  return store;
}

afterEach(cleanup);

describe('editing a channel', () => {
  it('sends only what was changed', async () => {
    const store = show({ topic: 'Ship 0.4' });
    fireEvent.input(screen.getByLabelText(/Topic/), { target: { value: 'Ship 0.5' } });
    fireEvent.submit(document.querySelector('form') as HTMLFormElement);
    await settled();
    expect(store.asked).toEqual([{ name: 'updateChannel', with: ['chn_a', { topic: 'Ship 0.5' }] }]);
  });

  it('explains the effect of another visibility', () => {
    show({ visibility: 'private' });
    fireEvent.click(screen.getByRole('switch', { name: 'Private' }));
    expect(screen.getByText(/everyone in the project can see it, including earlier messages/)).toBeTruthy();
  });

  it('archives only after asking', async () => {
    const store = show();
    fireEvent.click(screen.getByRole('button', { name: 'Archive…' }));
    expect(store.asked).toEqual([]);
    fireEvent.click(screen.getByRole('button', { name: 'Archive' }));
    await settled();
    expect(store.asked).toEqual([{ name: 'setArchived', with: ['chn_a', true] }]);
  });

  it('unarchives what is archived', async () => {
    const store = show({ archived_at: AT });
    fireEvent.click(screen.getByRole('button', { name: 'Unarchive…' }));
    fireEvent.click(screen.getByRole('button', { name: 'Unarchive' }));
    await settled();
    expect(store.asked).toEqual([{ name: 'setArchived', with: ['chn_a', false] }]);
  });
});

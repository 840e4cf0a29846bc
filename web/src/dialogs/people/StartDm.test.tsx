import { cleanup, fireEvent, screen } from '@solidjs/testing-library';
import { afterEach, describe, expect, it } from 'vitest';
import { renderWith, settled } from '../../shell/testing';
import { anAgent, aSnapshot, fakeStore } from '../../state/testing/fixtures';
import { StartDm } from './StartDm';

const dm = { id: 'dm_9', project_id: 'prj_1', participants: [], created_at: '2026-03-02T09:12:00.000Z' };
const pick = (name: string) => {
  fireEvent.click(screen.getByRole('combobox'));
  fireEvent.click(screen.getByRole('option', { name: new RegExp(`^${name}( |$)`), hidden: true }));
};

afterEach(cleanup);

describe('starting a direct message', () => {
  it('offers all members except the reader', async () => {
    const store = fakeStore({}, { openDm: async () => dm });
    renderWith(store, () => <StartDm onClose={() => {}} />);
    fireEvent.click(screen.getByRole('combobox'));
    expect(screen.queryByRole('option', { name: /Mara/, hidden: true })).toBeNull();
    pick('Coder');
    pick('Tobias');
    fireEvent.submit(document.querySelector('form') as HTMLFormElement);
    await settled();
    expect(store.asked).toEqual([{ name: 'openDm', with: [['agt_coder', 'per_tobias']] }]);
    expect(location.hash).toBe('#/p/prj_1/c/dm_9');
  });

  it('is full at twenty members', () => {
    const agents = Array.from({ length: 25 }, (_, index) => anAgent(`agt_${index}`, `Bot-${index}x`));
    const store = fakeStore({ snapshot: () => aSnapshot({ agents }) });
    renderWith(store, () => <StartDm onClose={() => {}} />);
    const field = screen.getByRole('combobox');
    fireEvent.click(field);
    for (let times = 0; times < 25; times += 1) fireEvent.keyDown(field, { key: 'Enter' });
    expect(document.querySelectorAll('.combobox-chosen')).toHaveLength(19);
    expect(screen.getByText('A direct message has at most 20 members.')).toBeTruthy();
    expect(document.querySelector('[role=option]')).toBeNull();
  });
});

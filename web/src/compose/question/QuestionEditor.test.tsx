import { cleanup, fireEvent, render, screen, within } from '@solidjs/testing-library';
import { afterEach, describe, expect, it } from 'vitest';
import type { Draft } from '../../state/contract';
import { StoreContext } from '../../state/store_context';
import { fakeStore } from '../../state/testing/fixtures';
import { Composer } from '../Composer';

afterEach(cleanup);

function compose() {
  const store = fakeStore();
  render(() => (
    <StoreContext.Provider value={store}>
      <Composer conversationId="chn_general" label="#general" />
    </StoreContext.Provider>
  ));
  const sent = () => store.asked.filter((one) => one.name === 'send').map((one) => one.with[1] as Draft);
  return { store, sent };
}
const field = () => screen.getByRole('textbox', { name: 'Message #general' }) as HTMLTextAreaElement;
const editor = () => within(screen.getByRole('region', { name: 'Ask and wait' }));
const wait = () => screen.getByRole('button', { name: 'Ask and wait' });
const type = (text: string) => fireEvent.input(field(), { target: { value: text } });
const option = (index: number) => editor().getByRole('textbox', { name: `Option ${index}` }) as HTMLInputElement;
const offer = (label: string) => {
  fireEvent.click(editor().getByRole('button', { name: /Add options|Add another option/ }));
  fireEvent.input(document.activeElement as HTMLInputElement, { target: { value: label } });
};

describe('asking and waiting', () => {
  it('is off at first, and names the addressees while it is on', () => {
    compose();
    expect(screen.queryByRole('region', { name: 'Ask and wait' })).toBeNull();
    fireEvent.click(wait());
    expect(editor().getByText(/Mention who should answer/)).toBeTruthy();
    type('@Coder which base?');
    expect(editor().getByText('Asks Coder, and waits.')).toBeTruthy();
  });

  it('sends options, the default and the expiry', () => {
    const { sent, store } = compose();
    fireEvent.click(wait());
    type('@Coder which base?');
    offer('The old one');
    offer('The new one');
    offer('  ');
    fireEvent.change(editor().getByLabelText('Expires in'), { target: { value: '600' } });
    fireEvent.change(editor().getByLabelText('If nobody answers'), { target: { value: 'option-2' } });
    fireEvent.keyDown(field(), { key: 'Enter' });
    expect(sent()).toMatchObject([
      {
        blocking: true,
        ask: {
          options: [{ id: 'the-old-one' }, { id: 'the-new-one' }],
          default: 'the-new-one',
          expires_in_seconds: 600,
        },
      },
    ]);
    expect(store.draft('chn_general').blocking).toBe(false);
  });

  it('moves to the next option by Enter, and never sends', () => {
    const { sent } = compose();
    fireEvent.click(wait());
    type('@Coder which?');
    offer('One');
    fireEvent.keyDown(option(1), { key: 'Enter' });
    expect(document.activeElement).toBe(option(2));
    fireEvent.keyDown(option(2), { key: 'Enter' });
    expect(editor().getAllByRole('textbox')).toHaveLength(2);
    expect(sent()).toEqual([]);
  });

  it('moves the focus to a neighbour when an option is removed', () => {
    compose();
    fireEvent.click(wait());
    offer('One');
    offer('Two');
    fireEvent.click(editor().getByRole('button', { name: 'Remove option 1' }));
    expect([document.activeElement, option(1).value]).toEqual([option(1), 'Two']);
    fireEvent.click(editor().getByRole('button', { name: 'Remove option 1' }));
    expect(document.activeElement).toBe(field());
  });

  it('sends no question when it is switched off again', () => {
    const { sent } = compose();
    fireEvent.click(wait());
    offer('One');
    fireEvent.click(wait());
    type('Plain');
    fireEvent.keyDown(field(), { key: 'Enter' });
    expect(sent()[0]).toMatchObject({ text: 'Plain', blocking: false });
    expect(sent()[0]).not.toHaveProperty('ask');
  });

  it('is started by /ask, which sends nothing yet', async () => {
    const { sent } = compose();
    type('/ask @Coder which base?');
    fireEvent.keyDown(field(), { key: 'Enter' });
    expect(await screen.findByRole('textbox', { name: 'Option 2' })).toBeTruthy();
    expect([field().value, sent()]).toEqual(['@Coder which base?', []]);
  });
});

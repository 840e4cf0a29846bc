import { cleanup, fireEvent, screen } from '@solidjs/testing-library';
import { afterEach, describe, expect, it } from 'vitest';
import { renderWith, settled } from '../../shell/testing';
import { anAgent, fakeStore } from '../../state/testing/fixtures';
import { AddAgent } from './AddAgent';

const engines = [
  { provider: 'built-in', models: [] },
  { provider: 'anthropic', models: ['claude-sonnet-4-5'] },
];

async function show(answers = {}) {
  const store = fakeStore(
    {},
    {
      listEngines: async () => engines,
      createAgent: async () => ({ agent: anAgent('agt_new', 'Helper'), token: 'tok.en' }),
      ...answers,
    },
  );
  renderWith(store, () => <AddAgent onClose={() => {}} />);
  await settled();
  return store;
}
const type = (label: RegExp, value: string) => fireEvent.input(screen.getByLabelText(label), { target: { value } });
const submit = async () => {
  fireEvent.submit(document.querySelector('form') as HTMLFormElement);
  await settled();
};
const open = (tab: string) => fireEvent.click(screen.getByRole('tab', { name: tab }));

afterEach(cleanup);

describe('an agent that the hub runs', () => {
  it('has an engine, a model and instructions', async () => {
    const store = await show();
    fireEvent.change(screen.getByLabelText('Engine'), { target: { value: 'anthropic' } });
    type(/Model/, 'claude-sonnet-4-5');
    type(/Name/, 'Helper');
    type(/Instructions/, 'Be brief.');
    await submit();
    const engine = { provider: 'anthropic', model: 'claude-sonnet-4-5' };
    expect(store.asked.at(-1)).toEqual({
      name: 'createAgent',
      with: [{ name: 'Helper', instructions: 'Be brief.', engine }],
    });
  });

  it('needs no model when it is the guide', async () => {
    const store = await show();
    expect(screen.queryByLabelText(/Model/)).toBeNull();
    type(/Name/, 'Helper');
    await submit();
    expect(store.asked.at(-1)?.with).toEqual([{ name: 'Helper', engine: { provider: 'built-in' } }]);
  });
});

describe('an agent that the reader runs', () => {
  it('gets a token, shown once in the line that starts it', async () => {
    const store = await show();
    open('Run by you');
    type(/Name/, 'Helper');
    await submit();
    expect(store.asked.at(-1)?.with).toEqual([{ name: 'Helper' }]);
    const line = screen.getByLabelText<HTMLTextAreaElement>('To copy').value;
    expect(line).toContain('PARLOUR_TOKEN=tok.en parlour agent --claude-code');
    expect(screen.getByText(/Shown only once/)).toBeTruthy();
  });
});

describe('an invite for agents', () => {
  it('is created for a number of agents, and shows the commands to join', async () => {
    const invite = { code: 'parlour_inv_7', uses_max: 3, expires_at: '2026-03-03T09:12:00.000Z' };
    const store = await show({ createInvite: async () => invite });
    open('By invite');
    type(/Number of agents/, '3');
    type(/Purpose/, 'build machines');
    await submit();
    expect(store.asked.at(-1)).toEqual({ name: 'createInvite', with: [{ usesMax: 3, label: 'build machines' }] });
    expect(screen.getByLabelText<HTMLTextAreaElement>('To copy').value).toContain('/#parlour_inv_7');
    expect(screen.getByText(/3 agents can join until/)).toBeTruthy();
  });
});

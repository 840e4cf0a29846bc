import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TabList, TabPanel } from './Tabs';

const TABS = [
  { id: 'thread', label: 'Thread' },
  { id: 'run', label: 'Run', count: 2 },
  { id: 'context', label: 'Context' },
] as const;
type Id = (typeof TABS)[number]['id'];

beforeEach(() => {
  const [selected, setSelected] = createSignal<Id>('thread');
  render(() => (
    <>
      <TabList name="pane" label="Pane" tabs={TABS} selected={selected()} onSelect={setSelected} />
      <TabPanel name="pane" tab={selected()}>
        {selected()}
      </TabPanel>
    </>
  ));
});
afterEach(cleanup);

const tab = (name: RegExp) => screen.getByRole('tab', { name });
const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key });

test('a click selects, and the panel is called by its tab', () => {
  fireEvent.click(tab(/Run/));
  expect(screen.getByRole('tabpanel', { name: /Run/ }).textContent).toBe('run');
});

test('only the selected one is a stop of Tab', () => {
  expect(screen.getAllByRole('tab').map((one) => one.tabIndex)).toEqual([0, -1, -1]);
});

test('arrows, Home and End move and select, round', () => {
  tab(/Thread/).focus();
  const way = ['ArrowLeft', 'ArrowRight', 'ArrowRight', 'End', 'Home'].map((key) => {
    press(key);
    return document.activeElement?.id;
  });
  expect(way).toEqual(['context', 'thread', 'run', 'context', 'thread'].map((id) => `pane-tab-${id}`));
  expect(tab(/Thread/).getAttribute('aria-selected')).toBe('true');
});

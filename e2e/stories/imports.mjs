/** Messages imported from another system. */
import assert from 'node:assert/strict';
import { story } from '../harness/story.mjs';

const row = (page, id) => page.locator(`article.message[data-id="${id}"]`);

/** An author of pynchy, as imported. */
const from = (type, id, name) => ({ type, id: `pynchy:${id}`, name });
const at = (minute) => `2026-02-15T09:0${minute}:00Z`;

story(
  '30. Imported messages show their source and call no agent',
  { on: ['desktop', 'phone'] },
  async ({ page, open, people, project, general, expectAccessible }) => {
    // The stories share a hub, and message ids are unique.
    const taken = (number) => `${general.id.replace('chn', 'msg')}-${number}`;
    await people.agent(project, 'Coder');
    await open(general);
    const messages = [
      {
        id: taken(1),
        from: from('person', '4917', 'Mara'),
        kind: 'user',
        body: '@Coder run the tests',
        created_at: at(0),
      },
      {
        id: taken(2),
        from: from('tool', 'command_output', 'command'),
        kind: 'tool_result',
        body: '12 passed',
        created_at: at(1),
      },
      {
        id: taken(3),
        from: from('agent', 'bot', 'pynchy'),
        kind: 'assistant',
        body: 'All **green**.',
        created_at: at(2),
      },
      {
        id: taken(4),
        from: from('host', 'host', 'host'),
        kind: 'host',
        body: 'Agent restarted.',
        created_at: at(3),
      },
    ];
    const done = await people.admin.send('/imports', { channel_id: general.id, messages });
    assert.deepEqual(done, { stored: 4, known: 0 });
    await row(page, taken(3)).getByText('green').waitFor();
    for (const id of [taken(1), taken(3), taken(4)]) {
      const tag = row(page, id).getByText('from pynchy');
      assert.equal(await tag.getAttribute('title'), 'Imported from pynchy', id);
    }
    assert.equal(await row(page, taken(4)).getByLabel('From the hub').count(), 0);
    assert.equal(
      await row(page, taken(1)).getByRole('button', { name: 'Mara' }).count(),
      0,
      'it is nobody of this hub',
    );
    assert.equal(await page.getByText('Stored for Coder').count(), 0, 'nobody is told');
    await expectAccessible('messages that were taken over');

    const again = await people.admin.send('/imports', { channel_id: general.id, messages });
    assert.deepEqual(again, { stored: 0, known: 4 });
  },
);

import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Client } from '../api/client';
import { createHub } from '../api/hub';
import type { Me } from '../api/model';
import { Refusal } from '../api/refusal';
import { createRequestCommands } from './commands';
import type { OpenProject } from './project/open_project';
import { aMessage, aPerson, aSnapshot } from './testing/fixtures';

const ME: Me = { member_id: 'per_mara', name: 'Mara', role: 'admin', scopes: [] };

describe('the commands that are requests', () => {
  let asked: string[];
  let project: { id: string | undefined };
  let requests: ReturnType<typeof createRequestCommands>;
  const loadProjects = vi.fn(async () => {});
  const answers: Record<string, unknown> = {
    'POST /people': { ...aPerson('per_nia', 'Nia'), token: 'secret' },
    'POST /people/per_nia/link': { code: 'x', path: '/sign-in#code=x' },
    'POST /agents': { id: 'agt_1', name: 'Coder', token: 'secret' },
    'GET /engines': { items: [{ provider: 'local', interface: 'openai', model: 'qwen3' }, { provider: 'built-in' }] },
    'GET /search?project_id=prj_1&q=word': { items: [{ snippet: 'a word' }], next: 'c2' },
    'POST /projects': { id: 'prj_2' },
  };

  beforeEach(() => {
    asked = [];
    const call = async (method: string, path: string, body?: unknown) => {
      asked.push(`${method} ${path}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`);
      return answers[`${method} ${path}`] ?? {};
    };
    const client = { call, note: () => {} } as unknown as Client;
    project = { id: 'prj_1' };
    const snapshot = () => aSnapshot();
    const open = Object.assign(project, {
      snapshot,
      messageLists: { find: () => undefined },
    }) as unknown as OpenProject;
    requests = createRequestCommands({ hub: createHub(client), project: open, me: () => ME, loadProjects });
  });

  it('add a reaction, or take the own one back', async () => {
    await requests.toggleReaction(aMessage(), '👍');
    await requests.toggleReaction(aMessage({ reactions: [{ emoji: '👍', members: ['per_mara'] }] }), '👍');
    await requests.toggleReaction(aMessage({ reactions: [{ emoji: '👍', members: ['per_tobias'] }] }), '👍');
    expect(asked.map((one) => one.split(' ')[0])).toEqual(['PUT', 'DELETE', 'PUT']);
  });

  it('create a person, add them to the project, and return the link without a token', async () => {
    const { person, link } = await requests.invitePerson('Nia');
    expect(asked).toEqual([
      'POST /people {"name":"Nia"}',
      'POST /projects/prj_1/people {"person_id":"per_nia"}',
      'POST /people/per_nia/link',
    ]);
    expect([person, link]).toEqual([aPerson('per_nia', 'Nia'), new URL('/sign-in#code=x', location.href).href]);
  });

  it('make an agent, and hand over its token apart', async () => {
    expect(await requests.createAgent({ name: 'Coder' })).toEqual({
      agent: { id: 'agt_1', name: 'Coder' },
      token: 'secret',
    });
    expect(asked[0]).toBe('POST /agents {"project_id":"prj_1","name":"Coder"}');
  });

  it('list the engines with their models, and search page by page', async () => {
    expect(await requests.listEngines()).toEqual([
      { provider: 'local', models: ['qwen3'] },
      { provider: 'built-in', models: [] },
    ]);
    expect(await requests.search('word')).toEqual({ hits: [{ snippet: 'a word' }], next: 'c2' });
  });

  it('read the list of projects again after making one', async () => {
    await requests.createProject({ name: 'Moon' });
    expect(loadProjects).toHaveBeenCalledOnce();
  });

  it('archive and open channels, and create single-use invites by default', async () => {
    await requests.setArchived('chn_1', true);
    await requests.setArchived('chn_1', false);
    await requests.createInvite({ label: 'lab' });
    expect(asked).toEqual([
      'POST /channels/chn_1/archive',
      'POST /channels/chn_1/unarchive',
      'POST /projects/prj_1/invites {"role":"full","label":"lab","uses_max":1}',
    ]);
  });

  it('reject when no project is open', async () => {
    project.id = undefined;
    await expect(requests.search('x')).rejects.toThrow(Refusal);
    await expect(requests.createChannel({ name: 'x', visibility: 'project' })).rejects.toThrow(/No project is open/);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import type { EphemeralFrame } from '../../api/events';
import { Refusal, unreachable } from '../../api/refusal';
import { FakeServer, type SentFrame } from '../testing/fake_server';
import { aSnapshot } from '../testing/fixtures';
import { deferred, flushMicrotasks } from '../testing/tools';
import { OpenProject } from './open_project';

describe('the open project', () => {
  let server: FakeServer;
  let project: OpenProject;
  let opened: string[];
  const answer = () => server.answerAll(flushMicrotasks);
  const receive = (frame: SentFrame | undefined) => {
    if (frame && 'event' in frame) project.takeEvent(frame.event);
    else if (frame) project.takeEphemeral(frame.ephemeral);
  };
  const receiveAll = () => server.sentFrames.splice(0).forEach(receive);

  beforeEach(() => {
    server = new FakeServer();
    opened = [];
    project = new OpenProject({
      hub: server.hub,
      outbox: () => [],
      onOpened: (id, position) => opened.push(`${id} ${position}`),
    });
  });

  it('is followed after the position of its snapshot', async () => {
    const open = project.open('prj_1');
    expect(project.open('prj_1')).toBe(open);
    await answer();
    expect([opened, project.snapshot()?.position]).toEqual([['prj_1 A0-1'], 'A0-1']);
    await project.open('prj_1');
    expect(opened).toHaveLength(1);
  });

  it('is the last requested one, whatever response comes first', async () => {
    const [one, two] = [deferred<never>(), deferred<never>()];
    const answers = new Map([
      ['prj_1', one],
      ['prj_2', two],
    ]);
    server.hub.snapshot = (id) => answers.get(id)?.promise ?? Promise.reject(unreachable());
    void project.open('prj_1');
    void project.open('prj_2');
    two.resolve({ ...aSnapshot(), project: { ...aSnapshot().project, id: 'prj_2' } } as never);
    await flushMicrotasks();
    one.resolve(aSnapshot() as never);
    await flushMicrotasks();
    expect([project.snapshot()?.project.id, opened]).toEqual(['prj_2', ['prj_2 A0-1']]);
  });

  it('says why it could not be loaded, and loads when it is asked again', async () => {
    const { snapshot } = server.hub;
    server.hub.snapshot = () => Promise.reject(new Refusal('PARLOUR-N01', 'There is none.', { status: 404 }));
    await project.open('prj_1');
    expect(project.failed()?.code).toBe('PARLOUR-N01');
    server.hub.snapshot = snapshot;
    void project.open('prj_1');
    await answer();
    expect([project.failed(), project.snapshot()?.reader]).toEqual([undefined, 'per_mara']);
  });

  it('does not lose what happens while a fresh snapshot is loaded', async () => {
    void project.open('prj_1');
    await answer();
    void project.reload();
    server.requests[0]?.read();
    server.post();
    server.post({ mentions: ['per_mara'], from: { type: 'person', id: 'per_tobias', name: 'Tobias' } });
    receiveAll();
    await answer();
    expect(project.snapshot()).toEqual({ ...server.snapshot, streams: [] });
  });

  it('loads a fresh snapshot when an event says that it must', async () => {
    void project.open('prj_1');
    await answer();
    server.post();
    server.post();
    receive(server.sentFrames[1]);
    expect(server.requests.map(({ what }) => what)).toEqual(['snapshot']);
    await answer();
    expect(project.snapshot()?.position).toBe(server.snapshot.position);
  });

  it('tries again with the next connection when a fresh snapshot could not be loaded', async () => {
    void project.open('prj_1');
    await answer();
    const { snapshot } = server.hub;
    server.hub.snapshot = () => Promise.reject(unreachable());
    await project.reload();
    server.hub.snapshot = snapshot;
    server.post();
    project.catchUp();
    await answer();
    expect(project.snapshot()?.position).toBe(server.snapshot.position);
  });

  it('has the text of an answer whose conversation nobody has opened yet', async () => {
    const { id } = server.post({ state: 'streaming', body: '' });
    server.chunk(id, 'Hello ');
    void project.open('prj_1');
    await answer();
    server.chunk(id, 'you');
    receive(server.sentFrames.at(-1));
    const messageList = project.messageLists.get('chn_general');
    await answer();
    expect([messageList.growing(id)?.text(), project.streams.all()[0]?.from?.name]).toEqual(['Hello you', 'Mara']);
  });

  it('reads an answer again when a piece of it is missing', async () => {
    void project.open('prj_1');
    await answer();
    const { id } = server.post({ state: 'streaming', body: '' });
    receiveAll();
    for (const piece of ['one ', 'two ', 'three']) server.chunk(id, piece);
    receive(server.sentFrames[0]);
    receive(server.sentFrames[2]);
    receive(server.sentFrames[2]);
    expect(server.requests.map(({ what }) => what)).toEqual([`message ${id}`]);
    await answer();
    expect(project.streams.get(id)?.text.text()).toBe('one two three');
  });

  it('detects that an answer ended while disconnected', async () => {
    void project.open('prj_1');
    const messageList = project.messageLists.get('chn_general');
    await answer();
    const { id } = server.post({ state: 'streaming', body: 'Hello' });
    receiveAll();
    server.finish(id);
    project.recover();
    await answer();
    expect([messageList.peek(id)?.state, project.streams.all()]).toEqual(['complete', []]);
  });

  it('ignores other projects', async () => {
    void project.open('prj_1');
    await answer();
    const typing: EphemeralFrame = {
      type: 'typing',
      project_id: 'prj_2',
      conversation_id: 'chn_general',
      members: ['per_x'],
    };
    project.takeEphemeral(typing);
    server.post();
    const [frame] = server.sentFrames;
    if (frame && 'event' in frame) project.takeEvent({ ...frame.event, project_id: 'prj_2' });
    expect([project.typing.in('chn_general'), project.snapshot()?.position]).toEqual([[], 'A0-1']);
    project.takeEphemeral({ ...typing, project_id: 'prj_1' });
    expect(project.typing.in('chn_general')).toEqual(['per_x']);
  });

  it('is cleared when the reader loses access', async () => {
    void project.open('prj_1');
    await answer();
    project.loseAccess();
    expect([project.snapshot(), project.failed()?.more.status]).toEqual([undefined, 404]);
  });

  it('has the read position when something is unread', async () => {
    server.post({ from: { type: 'person', id: 'per_tobias', name: 'Tobias' } });
    const messageList = project.messageLists.get('chn_general');
    void project.open('prj_1');
    await answer();
    expect(messageList.readAtOpening()).toBe(0);
  });

  it('also for a conversation that was opened in another project', async () => {
    server.post({ from: { type: 'person', id: 'per_tobias', name: 'Tobias' } });
    const { snapshot } = server.hub;
    const other = { ...aSnapshot(), project: { ...aSnapshot().project, id: 'prj_2' } };
    server.hub.snapshot = (id) => (id === 'prj_2' ? Promise.resolve(other) : snapshot(id));
    await project.open('prj_2');
    const messageList = project.messageLists.get('chn_general');
    await flushMicrotasks();
    void project.open('prj_1');
    await answer();
    expect([messageList.readAtOpening(), project.messageLists.get('chn_general'), messageList.ids().length]).toEqual([
      0,
      messageList,
      1,
    ]);
  });
});

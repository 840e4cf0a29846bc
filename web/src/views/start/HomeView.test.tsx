import { cleanup, fireEvent, screen } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { dialogRequest } from '../../dialogs/open_dialog';
import { go } from '../../platform/router';
import { renderWith } from '../../shell/testing';
import { rememberLocation } from '../../state/project/last_location';
import { aSnapshot, fakeStore } from '../../state/testing/fixtures';
import { HomeView } from './HomeView';

beforeEach(() => {
  localStorage.clear();
  go({ view: 'home' });
  vi.useFakeTimers();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

describe('home', () => {
  it('leads to the project of the last conversation, else to the first', () => {
    const projects = () => [aSnapshot().project, { ...aSnapshot().project, id: 'prj_2' }];
    renderWith(fakeStore({ projects }), () => <HomeView />);
    expect(location.hash).toBe('#/p/prj_1');
    rememberLocation({ projectId: 'prj_2', conversationId: 'chn_b' });
    cleanup();
    renderWith(fakeStore({ projects }), () => <HomeView />);
    expect(location.hash).toBe('#/p/prj_2');
  });

  it('shows the next step without a project, after a delay', () => {
    renderWith(fakeStore({ projects: () => [], snapshot: () => undefined }), () => <HomeView />);
    expect(screen.queryByRole('heading')).toBeNull();
    vi.advanceTimersByTime(300);
    expect(screen.getByRole('heading', { name: 'No project yet' })).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Create a project' }));
    expect(dialogRequest()).toEqual({ kind: 'create-project' });
  });
});

describe('a project without a conversation in its address', () => {
  it('opens the last conversation once it is loaded', () => {
    rememberLocation({ projectId: 'prj_1', conversationId: 'chn_release' });
    const [snapshot, setSnapshot] = createSignal<ReturnType<typeof aSnapshot>>();
    renderWith(fakeStore({ snapshot }), () => <HomeView projectId="prj_1" />);
    expect(location.hash).toBe('#/');
    setSnapshot(aSnapshot());
    expect(location.hash).toBe('#/p/prj_1/c/chn_release');
  });

  it('opens the first channel when the last conversation is gone', () => {
    rememberLocation({ projectId: 'prj_1', conversationId: 'chn_gone' });
    renderWith(fakeStore(), () => <HomeView projectId="prj_1" />);
    expect(location.hash).toBe('#/p/prj_1/c/chn_general');
  });

  it('offers to create the first channel', () => {
    renderWith(fakeStore({ snapshot: () => aSnapshot({ channels: [] }) }), () => <HomeView projectId="prj_1" />);
    fireEvent.click(screen.getByRole('button', { name: 'Create the first channel' }));
    expect(dialogRequest()).toEqual({ kind: 'create-channel' });
  });
});

import { cleanup, fireEvent, screen } from '@solidjs/testing-library';
import { afterEach, describe, expect, it } from 'vitest';
import { Refusal, unreachable } from '../api/refusal';
import { fakeStore } from '../state/testing/fixtures';
import { ProjectProblem } from './ProjectProblem';
import { renderWith } from './testing';

afterEach(cleanup);

describe('a project that cannot be shown', () => {
  it('is reported as unknown, with a link to the start and no retry', () => {
    const refusal = new Refusal('PARLOUR-N01', 'No such project.', { status: 404 });
    renderWith(fakeStore(), () => <ProjectProblem refusal={refusal} projectId="prj_x" />);
    expect(screen.getByRole('heading', { name: 'Project not found' })).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Go to your projects' }).getAttribute('href')).toBe('#/');
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
  });

  it('says why it could not be loaded, with the code, and tries again', () => {
    const store = fakeStore();
    renderWith(store, () => <ProjectProblem refusal={unreachable()} projectId="prj_1" />);
    expect(screen.getByText(/The hub is not responding/)).toBeTruthy();
    expect(screen.getByText('UNREACHABLE')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(store.asked).toEqual([{ name: 'openProject', with: ['prj_1'] }]);
  });
});

import { describe, expect, it, test } from 'vitest';
import type { Delivery } from '../../api/model';
import { aDelivery } from '../../state/testing/fixtures';
import { type LedgerMembers, ledgerRows, ledgerSummary, stepsReached } from './ledger_text';

const members: LedgerMembers = {
  nameOf: (id) => ({ agt_coder: 'Coder', agt_reviewer: 'Reviewer', per_tobias: 'Tobias' })[id] ?? 'Somebody',
  isAgent: (id) => id.startsWith('agt_'),
  isBusy: (id) => id === 'agt_coder',
};
const words = (...deliveries: Delivery[]) => ledgerSummary(deliveries, members).words;

describe('one recipient', () => {
  test.each<[string, Partial<Delivery>]>([
    ['Stored for Coder', { state: 'stored' }],
    ['Tobias has not read it yet', { state: 'stored', recipient: 'per_tobias' }],
    ['Coder: queued behind another answer', { state: 'queued' }],
    ['Reviewer: queued', { state: 'queued', recipient: 'agt_reviewer' }],
    ['Given to Coder in run 7k2f', { state: 'injected', run_id: 'run_0000007K2F' }],
    ['Coder saw it in run 7k2f · 0.4 s', { state: 'seen', run_id: 'run_0000007K2F', time_to_read_ms: 400 }],
    ['Tobias read it · 3 min', { state: 'seen', recipient: 'per_tobias', time_to_read_ms: 180_000 }],
    ['Coder answered · 8.0 s', { state: 'answered', answered_at: '2026-03-02T09:12:08.000Z' }],
    ['Failed for Coder: its process ended', { state: 'failed', why: 'its process ended.' }],
    ['Failed for Coder: no reason was given', { state: 'failed' }],
    ['Expired: Coder did not see it in time', { state: 'expired' }],
  ])('%s', (expected, more) => expect(words(aDelivery(more))).toBe(expected));
});

describe('several recipients', () => {
  const coder = (more: Partial<Delivery>) => aDelivery({ reason: 'mention', ...more });
  const reviewer = (more: Partial<Delivery>) => aDelivery({ recipient: 'agt_reviewer', ...more });

  it('are counted, with those who answered', () => {
    expect(words(coder({ state: 'answered' }), reviewer({ reason: 'mention' }))).toBe('1 of 2 saw it, Coder answered');
    expect(words(coder({ state: 'seen' }), reviewer({ reason: 'mention', state: 'seen' }))).toBe('All 2 saw it');
    expect(words(coder({ state: 'answered' }), reviewer({ reason: 'mention', state: 'answered' }))).toBe(
      'All 2 answered',
    );
  });

  it('have the progress of the slowest', () => {
    const line = ledgerSummary(
      [coder({ state: 'answered' }), reviewer({ reason: 'mention', state: 'queued' })],
      members,
    );
    expect(line.reached).toBe(2);
  });

  it('are only the called ones, if there are any', () => {
    expect(words(coder({ state: 'answered' }), reviewer({ reason: 'subscription' }))).toMatch(/^Coder answered/);
    expect(words(reviewer({ reason: 'subscription' }))).toBe('Stored for Reviewer');
  });

  it('report failures first', () => {
    const line = ledgerSummary(
      [coder({ state: 'seen' }), reviewer({ reason: 'mention', state: 'failed', why: 'gone' })],
      members,
    );
    expect(line).toMatchObject({ isBroken: true, words: 'Failed for Reviewer: gone · 1 of 2 saw it' });
  });
});

test('a message for nobody says so', () => expect(words()).toBe('Stored. No recipients.'));

test('a failed delivery counts the steps before', () => {
  const at = '2026-03-02T09:12:01.000Z';
  expect(stepsReached(aDelivery({ state: 'failed' }))).toBe(1);
  expect(stepsReached(aDelivery({ state: 'failed', queued_at: at, injected_at: at }))).toBe(3);
  expect(stepsReached(aDelivery({ state: 'expired', queued_at: at }))).toBe(2);
});

describe('the table of a recipient', () => {
  it('has every step, with its time when it happened', () => {
    const rows = ledgerRows(aDelivery({ state: 'queued', queued_at: '2026-03-02T09:12:00.250Z' }), true);
    expect(rows.map(({ state, afterMs }) => [state, afterMs])).toEqual([
      ['stored', 0],
      ['queued', 250],
      ['injected', undefined],
      ['seen', undefined],
      ['answered', undefined],
    ]);
  });

  it('shows that a person read it, without a time', () => {
    const rows = ledgerRows(aDelivery({ recipient: 'per_tobias', state: 'seen' }), false);
    expect(rows.map(({ state, happened, at }) => [state, happened, at !== undefined])).toEqual([
      ['stored', 'yes', true],
      ['seen', 'yes', false],
      ['answered', 'no', false],
    ]);
  });

  it('marks steps without a report', () => {
    const answered = aDelivery({ state: 'answered', seen_at: '2026-03-02T09:12:08.000Z' });
    expect(ledgerRows(answered, true).map(({ happened }) => happened)).toEqual([
      'yes',
      'unreported',
      'unreported',
      'yes',
      'yes',
    ]);
  });

  it('has fewer steps for a person', () => {
    const rows = ledgerRows(aDelivery({ recipient: 'per_tobias' }), false);
    expect(rows.map(({ state }) => state)).toEqual(['stored', 'seen', 'answered']);
  });

  it('ends with the failure', () => {
    const failed = aDelivery({ state: 'failed', ended_at: '2026-03-02T09:12:05.000Z' });
    expect(ledgerRows(failed, true).at(-1)).toMatchObject({ state: 'failed', afterMs: 5_000 });
  });
});

/** Receipts for tests. */
import type { Injection, Pack, Receipt, ReceiptItem, Section } from '../../api/context_model';

const FRAME = 10;

export function anItem(more: Partial<ReceiptItem> = {}): ReceiptItem {
  return {
    type: 'message',
    id: 'msg_1',
    section: 'threads',
    conversation_id: 'chn_general',
    from: { type: 'person', id: 'per_mara', name: 'Mara' },
    reasons: ['mention'],
    score: 1_000,
    level: 'full',
    tokens: 12,
    text: 'find the cause',
    redactions: 0,
    ...more,
  };
}

export function aLeftOut(more: Partial<ReceiptItem> = {}): ReceiptItem {
  return anItem({ id: 'msg_left', level: null, left_out: 'no_room', tokens: 0, text: '', ...more });
}

/** A receipt of these items, with some text of the hub around them. */
export function aReceipt(items: readonly ReceiptItem[], more: Partial<Receipt> = {}): Receipt {
  const names = [...new Set(items.map((item) => item.section))];
  const total = (section: Section) => {
    const here = items.filter((item) => item.section === section);
    const shown = here.filter((item) => item.level).length;
    const tokens = here.reduce((sum, item) => sum + (item.tokens ?? 0), 0);
    return { section, tokens, shown, left_out: here.length - shown };
  };
  const sections = names.map(total);
  return {
    budget: 512,
    used: FRAME + sections.reduce((sum, { tokens }) => sum + tokens, 0),
    frame: FRAME,
    counting: { encoding: 'o200k', is_exact: true },
    sections,
    items: [...items],
    unlisted: 0,
    redactions: [],
    invisible: 0,
    ...more,
  };
}

export function aPack(items: readonly ReceiptItem[], more: Partial<Receipt> = {}): Pack {
  return { agent_id: 'agt_coder', format: 'pack', text: 'all of it', receipt: aReceipt(items, more) };
}

export function anInjection(items: readonly ReceiptItem[], more: Partial<Injection> = {}): Injection {
  return {
    id: 'inj_1',
    project_id: 'prj_1',
    run_id: 'run_7k2f',
    agent_id: 'agt_coder',
    delivered_via: 'hook',
    format: 'injection',
    at: '2026-03-02T09:12:04.000Z',
    text: 'all of it',
    receipt: aReceipt(items),
    ...more,
  };
}

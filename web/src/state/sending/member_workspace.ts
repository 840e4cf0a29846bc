/** Outbox, sender and drafts of one member in this browser. */

import type { Storage } from '../storage';
import { Drafts } from './drafts';
import { OutboxStore } from './outbox_store';
import { Sender, type SenderParts, withLock } from './sender';

export interface MemberWorkspace {
  readonly memberId: string;
  readonly outbox: OutboxStore;
  readonly drafts: Drafts;
  readonly sender: Sender;
  close(): void;
}

export function createMemberWorkspace(
  storage: Storage,
  memberId: string,
  parts: Omit<SenderParts, 'exclusively'>,
): MemberWorkspace {
  const outbox = new OutboxStore(storage, memberId, () => sender.wake());
  const drafts = new Drafts(storage, memberId);
  const sender: Sender = new Sender(outbox, { ...parts, exclusively: withLock(`parlour.out.${memberId}`) });
  const close = () => {
    sender.stop();
    outbox.close();
    drafts.close();
  };
  return { memberId, outbox, drafts, sender, close };
}

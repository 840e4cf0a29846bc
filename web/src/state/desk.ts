/** What belongs to one member in this browser: the outbox with its sender, and the drafts. */

import type { Hub } from '../api/hub';
import type { PostedMessage } from '../api/model';
import { Drafts } from './drafts';
import { OutboxStore } from './outbox_store';
import { Sender, withLock } from './sender';
import type { Storage } from './storage';

export interface Desk {
  readonly memberId: string;
  readonly outbox: OutboxStore;
  readonly drafts: Drafts;
  readonly sender: Sender;
  close(): void;
}

/** Lays out the desk of a member. `onPosted` hears of each message that has arrived. */
export function createDesk(
  storage: Storage,
  hub: Pick<Hub, 'post'>,
  memberId: string,
  onPosted: (posted: PostedMessage) => Promise<void>,
): Desk {
  const outbox = new OutboxStore(storage, memberId, () => sender.wake());
  const drafts = new Drafts(storage, memberId);
  const exclusively = withLock(`parlour.out.${memberId}`);
  const sender: Sender = new Sender(outbox, { post: hub.post, onPosted, exclusively });
  return {
    memberId,
    outbox,
    drafts,
    sender,
    close() {
      sender.stop();
      outbox.close();
      drafts.close();
    },
  };
}

/** The open dialog. Any part of the page can request one; only one is open at a time. */
import { createSignal } from 'solid-js';

export type DialogRequest =
  | { kind: 'create-channel' }
  | { kind: 'edit-channel'; channelId: string }
  | { kind: 'channel-members'; channelId: string }
  | { kind: 'start-dm' }
  | { kind: 'create-project' }
  | { kind: 'invite-people' }
  | { kind: 'add-agent' }
  /** Removes a member from a private channel. */
  | { kind: 'remove-from-channel'; channelId: string; memberId: string }
  /** Removes a person from the project. */
  | { kind: 'remove-from-project'; personId: string };

const [dialogRequest, setDialogRequest] = createSignal<DialogRequest>();

export { dialogRequest };

export function openDialog(request: DialogRequest): void {
  setDialogRequest(request);
}

export function closeDialog(): void {
  setDialogRequest(undefined);
}

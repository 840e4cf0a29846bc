/** Actions on a message for the toolbar, its menu and the shortcuts. */
import { createSignal } from 'solid-js';
import { toast } from '../../parts/toast/Toast';
import { toastOnRefusal } from '../../parts/toast/toast_refusal';
import { announce } from '../../platform/announce';
import { copyText } from '../../platform/clipboard';
import { giveFocus } from '../../platform/focus';
import { setPane } from '../../platform/router';
import { hrefOf } from '../../platform/routes';
import { useStore } from '../../state/store_context';
import { startEditing } from '../edit/edit_state';
import { toggleLedger } from '../ledger/ledger_open';
import { type Row, rowKeyOf } from '../row';
import { type MessagePermissions, NO_PERMISSIONS, permissionsFor } from './permissions';

export type MessageActions = ReturnType<typeof useMessageActions>;

/** Refusals are shown as toasts, except those of `remove`, which its dialog shows. */
export function useMessageActions(row: Row) {
  const store = useStore();
  const [isRemoving, setRemoving] = createSignal(false);
  const permissions = (): MessagePermissions => {
    const session = store.session();
    if (session.state !== 'signed_in') return NO_PERMISSIONS;
    const whole = permissionsFor(row.message(), session.me, store.snapshot());
    if (row.presentation().layout === 'note') return { ...whole, thread: false, quote: false, react: false };
    return isRoot() ? { ...whole, thread: false, quote: false } : whole;
  };
  /** The first message of a thread in its pane belongs to the channel and cannot be quoted here. */
  const isRoot = () => row.scope === 'thread' && row.message().type === 'channel';
  const quote = () => {
    const { to, id } = row.message();
    store.commands.setDraft(to, { ...store.draft(to), replyTo: id });
    giveFocus('composer', to);
  };
  const openThread = async () => {
    let threadId = row.message().thread_id ?? undefined;
    const made = threadId
      ? true
      : await toastOnRefusal(store.commands.openThread(row.message()).then((one) => (threadId = one.id)));
    if (!made || !threadId) return;
    setPane({ kind: 'thread', id: threadId });
    giveFocus('composer', threadId);
  };
  return {
    permissions,
    quote,
    openThread,
    isRemoving,
    react: (sign: string) => toastOnRefusal(store.commands.toggleReaction(row.message(), sign)),
    /** Opens a thread where there are threads; quotes elsewhere. */
    reply: () => {
      if (permissions().thread || isRoot()) void openThread();
      else if (permissions().quote) quote();
    },
    copy: () => toastAfterCopy(copyText(textOf(row)), 'Text copied'),
    copyLink: () => toastAfterCopy(copyText(linkTo(row)), 'Link copied'),
    /** Notes and tool results have no recipients. */
    hasDeliveries: () =>
      (row.presentation().layout === 'speech' || row.presentation().layout === 'question') && row.message().seq > 0,
    /** Opens the delivery table, also for messages of others. */
    deliveries: () => toggleLedger(rowKeyOf(row)),
    hasTask: () => Boolean(row.message().context.task_id),
    showTask: () => setPane({ kind: 'task', id: row.message().context.task_id ?? '' }),
    edit: () => startEditing(row.message().id),
    askToRemove: () => setRemoving(true),
    keep: () => setRemoving(false),
    /** Rejects with the refusal for the dialog. */
    remove: () => store.commands.remove(row.message().id),
    stop: () => toastOnRefusal(store.commands.cancelAnswer(row.message().id)),
  };
}

/** The current text, also of a streaming answer. */
function textOf(row: Row): string {
  const { id, body } = row.message();
  return row.messageList.growing(id)?.text() ?? body;
}

/** The absolute URL. */
function linkTo(row: Row): string {
  const { project_id: projectId, to: conversationId, id: messageId } = row.message();
  return location.origin + location.pathname + hrefOf({ view: 'conversation', projectId, conversationId, messageId });
}

/** Shows a toast and announces it to screen readers. */
async function toastAfterCopy(copied: Promise<boolean>, words: string): Promise<void> {
  if (await copied) {
    toast(words, { key: 'copied', ms: 2_000 });
    announce(words);
  } else {
    toast('The browser blocked copying. Select the text and copy it yourself.', { kind: 'warning' });
  }
}

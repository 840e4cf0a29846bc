/** Decides which list a linked message belongs to: the conversation or the thread beside it. */
import { type Accessor, createEffect, createSignal, on, onCleanup } from 'solid-js';
import { route } from '../../platform/router';
import { useStore } from '../../state/store_context';

/** Returns the linked message if it is in this conversation, once that is known. */
export function createLinkTarget(conversationId: string): Accessor<string | undefined> {
  const store = useStore();
  const [target, setTarget] = createSignal(isCertain() ? linked() : undefined);
  let isGone = false;
  onCleanup(() => {
    isGone = true;
  });

  async function find(id: string): Promise<void> {
    const message = await store.commands.findMessage(id).catch(() => undefined);
    if (!isGone && linked() === id && isOf(message?.to)) setTarget(id);
  }

  /** A missing message is reported in the conversation, not in the thread. */
  function isOf(conversation: string | undefined): boolean {
    return (conversation ?? mainId()) === conversationId;
  }

  /** Without a thread there is only one list. */
  function isCertain(): boolean {
    const here = route();
    return here.view === 'conversation' && here.conversationId === conversationId && here.pane?.kind !== 'thread';
  }

  createEffect(
    on(linked, (id) => {
      if (id === undefined || isCertain()) setTarget(id);
      else void find(id);
    }),
  );
  return target;
}

function linked(): string | undefined {
  const here = route();
  return here.view === 'conversation' ? here.messageId : undefined;
}

function mainId(): string | undefined {
  const here = route();
  return here.view === 'conversation' ? here.conversationId : undefined;
}

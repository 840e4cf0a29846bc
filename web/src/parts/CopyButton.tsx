/** Copies a text and confirms it on the button. */
import { createSignal, onCleanup, Show } from 'solid-js';
import { announce } from '../platform/announce';
import { COPIED_LABEL_MS, copyText } from '../platform/clipboard';
import { Icon } from './Icon';
import { toast } from './toast/Toast';

export function CopyButton(props: {
  text: string | (() => string);
  /** "Copy the link" */
  label: string;
  look?: 'text' | 'icon';
}) {
  const [isCopied, setCopied] = createSignal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));
  const copy = async () => {
    const done = await copyText(typeof props.text === 'function' ? props.text() : props.text);
    if (!done) return toast('The browser blocked copying. Select the text and copy it yourself.');
    announce('Copied');
    setCopied(true);
    clearTimeout(timer);
    timer = setTimeout(() => setCopied(false), COPIED_LABEL_MS);
  };
  const isIcon = () => props.look === 'icon';
  return (
    <button
      type="button"
      class={isIcon() ? 'icon-button' : 'button'}
      aria-label={isIcon() ? props.label : undefined}
      title={isIcon() ? props.label : undefined}
      onClick={() => void copy()}
    >
      <Icon name={isCopied() ? 'check' : 'copy'} size={16} />
      <Show when={!isIcon()}>{isCopied() ? 'Copied' : props.label}</Show>
    </button>
  );
}

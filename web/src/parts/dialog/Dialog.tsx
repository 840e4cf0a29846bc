/** A modal dialog based on `<dialog>`: keeps the focus inside, closes with Escape, returns the focus. */
import { createUniqueId, type JSX, Show } from 'solid-js';
import { Icon } from '../Icon';
import { openModal } from './modal';
import './Dialog.css';

export function Dialog(props: {
  title: string;
  about?: JSX.Element;
  onClose(): void;
  children: JSX.Element;
  /** Buttons, the main one last. Without a field in the body the first button has the focus. */
  footer?: JSX.Element;
  size?: 'small' | 'wide';
}) {
  const titleId = createUniqueId();
  let element: HTMLDialogElement | undefined;
  let hasTyped = false;
  openModal(
    () => element,
    (dialog) => dialog.querySelector<HTMLElement>(FIELDS) ?? dialog.querySelector<HTMLElement>(FOOTER_BUTTON),
  );
  return (
    <dialog
      class="dialog"
      data-size={props.size ?? 'small'}
      aria-labelledby={titleId}
      ref={element}
      onCancel={(event) => {
        event.preventDefault();
        props.onClose();
      }}
      onInput={() => {
        hasTyped = true;
      }}
      // A stray click must not lose what was typed.
      onMouseDown={(event) => event.target === element && !hasTyped && props.onClose()}
    >
      <div class="dialog-sheet">
        <header class="dialog-head">
          <h2 id={titleId}>{props.title}</h2>
          <button type="button" class="icon-button" aria-label="Close" onClick={() => props.onClose()}>
            <Icon name="close" />
          </button>
        </header>
        <Show when={props.about}>{(about) => <p class="dialog-about">{about()}</p>}</Show>
        <div class="dialog-body">{props.children}</div>
        <Show when={props.footer}>{(footer) => <footer class="dialog-foot">{footer()}</footer>}</Show>
      </div>
    </dialog>
  );
}

const FIELDS =
  '.dialog-body :is(input:not([type=checkbox], [type=radio]), textarea, select):not(:disabled, [readonly], [tabindex="-1"])';
const FOOTER_BUTTON = '.dialog-foot button:not(:disabled)';

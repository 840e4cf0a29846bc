/** The lightbox: images of a message in full size. Escape or a click closes it, arrow keys change the image. */
import { createSignal, onCleanup, onMount, Show } from 'solid-js';
import { render } from 'solid-js/web';
import { Icon } from '../../parts/Icon';
import './Lightbox.css';

export interface Picture {
  readonly src: string;
  readonly alt: string;
}

/** Opens the lightbox at one of the images. The focus returns afterwards. */
export function openLightbox(pictures: readonly Picture[], index: number): void {
  const before = document.activeElement;
  const host = document.createElement('div');
  document.body.append(host);
  const dispose = render(() => <Lightbox pictures={pictures} index={index} onClose={close} />, host);
  function close() {
    dispose();
    host.remove();
    if (before instanceof HTMLElement && before.isConnected) before.focus();
  }
}

export function Lightbox(props: { pictures: readonly Picture[]; index: number; onClose(): void }) {
  let dialog: HTMLDialogElement | undefined;
  const [at, setAt] = createSignal(props.index);
  const picture = () => props.pictures[at()];
  const go = (step: number) => setAt((old) => (old + step + props.pictures.length) % props.pictures.length);
  onMount(() => dialog?.showModal());
  onCleanup(() => dialog?.close());
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'ArrowRight') go(1);
    else if (event.key === 'ArrowLeft') go(-1);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      class="lightbox"
      aria-label={picture()?.alt || 'Image'}
      ref={dialog}
      onKeyDown={onKey}
      onCancel={(event) => {
        event.preventDefault();
        props.onClose();
      }}
      onClick={(event) => !(event.target as Element).closest('a, button') && props.onClose()}
    >
      <Show when={picture()}>
        {(shown) => (
          <>
            <img src={shown().src} alt={shown().alt} />
            <Caption
              picture={shown()}
              at={at()}
              count={props.pictures.length}
              go={go}
              onClose={() => props.onClose()}
            />
          </>
        )}
      </Show>
    </dialog>
  );
}

function Caption(props: { picture: Picture; at: number; count: number; go(step: number): void; onClose(): void }) {
  return (
    <div class="lightbox-bar">
      <span class="lightbox-words">{props.picture.alt}</span>
      <Show when={props.count > 1}>
        <button type="button" class="icon-button" aria-label="Previous image" onClick={() => props.go(-1)}>
          <Icon name="back" />
        </button>
        <span class="lightbox-count" aria-live="polite">
          {props.at + 1} of {props.count}
        </span>
        <button type="button" class="icon-button lightbox-next" aria-label="Next image" onClick={() => props.go(1)}>
          <Icon name="back" />
        </button>
      </Show>
      <a class="button" href={props.picture.src} target="_blank" rel="noopener noreferrer">
        Open in a new tab
      </a>
      <button type="button" class="icon-button" aria-label="Close" onClick={() => props.onClose()}>
        <Icon name="close" />
      </button>
    </div>
  );
}

/** Attaches files that are dropped anywhere on a conversation or on the thread pane. */
import { createSignal, onCleanup, onMount, Show } from 'solid-js';
import { Icon } from '../../parts/Icon';
import { hasFiles } from './paste';
import './DropZone.css';

interface DropTarget {
  readonly left: string;
  readonly top: string;
  readonly width: string;
  readonly height: string;
}

/** Distance in pixels between the drop zone and the edge of its target. */
const EDGE = 8;

export function DropZone(props: { label: string; within(): HTMLElement | undefined; onFiles(files: File[]): void }) {
  const [place, setPlace] = createSignal<DropTarget>();
  onMount(() => {
    const target = props.within()?.closest<HTMLElement>('main.conversation, aside.pane') ?? props.within();
    if (target) onCleanup(listen(target, setPlace, (files) => props.onFiles(files)));
  });
  return (
    <Show when={place()}>
      {(at) => (
        <div class="drop-zone" style={{ ...at() }}>
          <div class="drop-words">
            <Icon name="attach" size={24} />
            Drop files to attach them to {props.label}
          </div>
        </div>
      )}
    </Show>
  );
}

/** Follows a drag of files over the target until the returned function is called. */
function listen(target: HTMLElement, show: (place?: DropTarget) => void, onFiles: (files: File[]) => void): () => void {
  const ends = new AbortController();
  const options = { signal: ends.signal };
  const over = (event: DragEvent) => {
    if (!hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy';
    show(dropTargetOf(target));
  };
  const leave = (event: DragEvent) => {
    // Moving between elements inside the target is not leaving it.
    if (!(event.relatedTarget instanceof Node && target.contains(event.relatedTarget))) show(undefined);
  };
  const drop = (event: DragEvent) => {
    if (!hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    show(undefined);
    onFiles([...(event.dataTransfer?.files ?? [])]);
  };
  target.addEventListener('dragenter', over, options);
  target.addEventListener('dragover', over, options);
  target.addEventListener('dragleave', leave, options);
  target.addEventListener('drop', drop, options);
  addEventListener('dragover', keepPage, options);
  addEventListener('drop', keepPage, options);
  return () => ends.abort();
}

/** Without this, a file dropped beside the target would replace the page. */
function keepPage(event: DragEvent): void {
  if (hasFiles(event.dataTransfer)) event.preventDefault();
}

function dropTargetOf(target: HTMLElement): DropTarget {
  const { left, top, width, height } = target.getBoundingClientRect();
  const inset = (at: number) => `${at + EDGE}px`;
  return { left: inset(left), top: inset(top), width: `${width - 2 * EDGE}px`, height: `${height - 2 * EDGE}px` };
}

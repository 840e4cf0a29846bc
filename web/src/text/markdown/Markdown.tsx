/** Renders the text of a message. Untrusted text enters the page only here. */
import { createRenderEffect, onCleanup, onMount, untrack } from 'solid-js';
import type { GrowingText } from '../../state/contract';
import { copyCode } from '../code/copy_code';
import { openLightbox } from '../picture/open_lightbox';
import { finishBlock } from '../stream/finish_block';
import { fixColumns } from '../stream/fix_columns';
import { TextView } from '../stream/text_view';
import './Markdown.css';
import '../code/code_card.css';
import '../diagram/diagram.css';
import '../picture/text_image.css';
import '../stream/working_cursor.css';

export function Markdown(props: {
  /** The complete text. */
  source: string;
  /** The text while it is streaming; it ends as `source` without a rebuild. */
  growing?: GrowingText | undefined;
  /** Resolves a name after `@`; an unknown name stays plain text. */
  mention?: (name: string) => { id: string; isReader: boolean } | undefined;
}) {
  const root = (<div class="markdown" />) as HTMLDivElement;
  // Names are resolved when the text is built; later changes do not rebuild it.
  const look = { mention: (name: string) => untrack(() => props.mention?.(name)) };
  const ends: (() => void)[] = [];
  const view = new TextView(root, look, (block) => ends.push(...finishBlock(block)));
  createRenderEffect(() => {
    const { growing } = props;
    if (growing) {
      view.grow(untrack(() => growing.text()));
      onCleanup(growing.listen((text) => view.grow(text)));
    } else view.finish(props.source);
  });
  onCleanup(() => {
    view.close();
    for (const end of ends) end();
  });
  // A stored text is built before it is on the page, where its tables can be measured.
  onMount(() => root.querySelectorAll<HTMLElement>('.table-scroll').forEach(fixColumns));
  root.addEventListener('click', ({ target }) => target instanceof Element && press(root, target));
  return root;
}

/** One listener for all buttons of a text. */
function press(root: Element, target: Element): void {
  const copy = target.closest<HTMLButtonElement>('.code-copy');
  if (copy) copyCode(copy);
  const image = target.closest('.open-image')?.querySelector('img');
  if (!image) return;
  const images = [...root.querySelectorAll<HTMLImageElement>('.open-image > img')];
  const pictures = images.map(({ alt, attributes }) => ({ alt, src: attributes.getNamedItem('src')?.value ?? '' }));
  openLightbox(pictures, images.indexOf(image));
}

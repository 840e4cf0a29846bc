/** Attachments of a message: images in a grid of fixed boxes, other files as cards. */
import { createResource, For, Show } from 'solid-js';
import type { Message } from '../../api/model';
import { Icon } from '../../parts/Icon';
import { useStore } from '../../state/store_context';
import type { Picture } from '../../text/picture/Lightbox';
import { openLightbox } from '../../text/picture/open_lightbox';
import { artifactLink, type FileLink, sortFiles, unattachedArtifacts } from './attachment_files';
import './MessageAttachments.css';

export function MessageAttachments(props: { message: Message }) {
  const files = () => sortFiles(props.message.attachments ?? []);
  return (
    <>
      <Show when={props.message.attachments?.length}>
        <Pictures pictures={files().pictures} />
        <For each={files().links}>{(link) => <FileCard link={link} />}</For>
      </Show>
      <Show when={props.message.artifacts?.length}>
        <For each={unattachedArtifacts(props.message)}>{(id) => <ArtifactCard id={id} />}</For>
      </Show>
    </>
  );
}

/** Boxes have a fixed size, so nothing moves when images load. */
function Pictures(props: { pictures: readonly Picture[] }) {
  return (
    <Show when={props.pictures.length > 0}>
      <div class="pictures" data-count={Math.min(props.pictures.length, 4)}>
        <For each={props.pictures}>
          {(picture, index) => (
            <button
              type="button"
              class="picture"
              aria-label={`Open ${picture.alt}`}
              onClick={() => openLightbox([...props.pictures], index())}
            >
              <img src={picture.src} alt={picture.alt} loading="lazy" decoding="async" />
            </button>
          )}
        </For>
      </div>
    </Show>
  );
}

/** Files of the hub are downloaded; external URLs are opened in a new tab, only on click. */
function FileCard(props: { link: FileLink }) {
  return (
    <a
      class="file-card"
      href={props.link.href || undefined}
      download={props.link.isForeign ? undefined : props.link.name}
      target={props.link.isForeign ? '_blank' : undefined}
      rel={props.link.isForeign ? 'noopener noreferrer nofollow' : undefined}
    >
      <Icon name={props.link.isForeign ? 'link' : 'file'} />
      <span class="file-name">{props.link.name}</span>
      <span class="file-about">{props.link.about}</span>
    </a>
  );
}

/** Only the id of an artifact is known at first; the card has its size before the name is loaded. */
function ArtifactCard(props: { id: string }) {
  const store = useStore();
  const known = () => store.snapshot()?.artifacts.find((one) => one.id === props.id);
  const [found] = createResource(
    () => (known() ? undefined : props.id),
    (id) => store.commands.findArtifact(id).catch(() => undefined),
  );
  const artifact = () => known() ?? found();
  return (
    <Show
      when={artifact()}
      fallback={
        <div class="file-card">
          <Icon name="file" />
          <span class="file-name">{found.loading ? '…' : 'File not available'}</span>
        </div>
      }
    >
      {(one) => <FileCard link={artifactLink(one())} />}
    </Show>
  );
}

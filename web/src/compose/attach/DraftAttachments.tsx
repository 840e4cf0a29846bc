/** The attachments of a draft: images with a preview, files by name, each with a remove button. */
import { For, type JSX, Show } from 'solid-js';
import type { Attachment } from '../../api/model';
import { sizeText } from '../../message/bubble/attachment_files';
import { Icon } from '../../parts/Icon';
import type { ComposerState } from '../composer_state';
import { pictureOf } from './previews';
import type { Upload } from './uploads';
import './DraftAttachments.css';

export function DraftAttachments(props: { composer: ComposerState }) {
  const attached = () => props.composer.draft().attachments;
  const uploads = () => props.composer.uploads.of(props.composer.id());
  return (
    <Show when={attached().length + uploads().length > 0}>
      <ul class="attachments" aria-label="Attached files">
        <For each={attached()}>
          {(attachment, index) => (
            <UploadedFileCard attachment={attachment} onRemove={() => props.composer.removeAttachment(index())} />
          )}
        </For>
        <For each={uploads()}>{(upload) => <UploadCard upload={upload} composer={props.composer} />}</For>
      </ul>
    </Show>
  );
}

function UploadedFileCard(props: { attachment: Attachment; onRemove(): void }) {
  return (
    <Card
      name={props.attachment.filename}
      picture={pictureOf(props.attachment)}
      detail={sizeText(props.attachment.size)}
      onRemove={() => props.onRemove()}
    />
  );
}

function UploadCard(props: { upload: Upload; composer: ComposerState }) {
  const failed = () => (props.upload.state === 'failed' ? props.upload : undefined);
  const share = () => (props.upload.state === 'running' ? props.upload.share : 0);
  const { uploads } = props.composer;
  return (
    <Card
      name={props.upload.file.name}
      picture={props.upload.preview}
      detail={failed()?.words ?? `${Math.round(share() * 100)} % of ${sizeText(props.upload.file.size)}`}
      isFailed={failed() !== undefined}
      onRemove={() => uploads.remove(props.composer.id(), props.upload.key)}
    >
      <Show
        when={failed()}
        fallback={<progress max="1" value={share()} aria-label={`Uploading ${props.upload.file.name}`} />}
      >
        {(why) => (
          <Show when={why().mayRetry}>
            <button
              type="button"
              class="attachment-button"
              onClick={() => uploads.retry(props.composer.id(), props.upload.key)}
            >
              Retry
            </button>
          </Show>
        )}
      </Show>
    </Card>
  );
}

function Card(props: {
  name: string;
  picture: string | undefined;
  detail: string;
  isFailed?: boolean;
  onRemove(): void;
  children?: JSX.Element;
}) {
  return (
    <li
      class="attachment"
      data-kind={props.picture ? 'picture' : 'file'}
      data-state={props.isFailed ? 'failed' : undefined}
    >
      <Show when={props.picture} fallback={<Icon name="file" size={20} />}>
        {(picture) => <img src={picture()} alt="" class="attachment-picture" />}
      </Show>
      <div class="attachment-words">
        <span class="attachment-name" title={props.name}>
          {props.name}
        </span>
        <span class="attachment-detail">{props.detail}</span>
        {props.children}
      </div>
      <button type="button" class="attachment-button" onClick={() => props.onRemove()}>
        <span aria-hidden="true">×</span> Remove <span class="unseen">{props.name}</span>
      </button>
    </li>
  );
}

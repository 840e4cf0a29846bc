/** Files of a conversation, newest first. */
import { createMemo, For, Show } from 'solid-js';
import type { Artifact, Snapshot } from '../../api/model';
import { sizeText } from '../../message/bubble/attachment_files';
import { EmptyState } from '../../parts/EmptyState';
import { Icon } from '../../parts/Icon';
import { useStore } from '../../state/store_context';

const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });

function filesOf(snapshot: Snapshot, conversationId: string): Artifact[] {
  return snapshot.artifacts.filter((artifact) => artifact.conversation_id === conversationId).reverse();
}

export function Files(props: { snapshot: Snapshot; conversationId: string }) {
  const store = useStore();
  const files = createMemo(() => filesOf(props.snapshot, props.conversationId));
  const about = (file: Artifact) => {
    const who = store.members().get(file.created_by)?.name;
    return [sizeText(file.size), who, DAY.format(new Date(file.created_at))].filter(Boolean).join(' · ');
  };
  return (
    <Show
      when={files().length > 0}
      fallback={<EmptyState icon="file">No files yet. Paste, drop or attach one.</EmptyState>}
    >
      <ul class="details-list" aria-label="Files">
        <For each={files()}>
          {(file) => (
            <li class="details-row">
              <a
                class="details-link"
                data-lines="two"
                href={`/artifacts/${encodeURIComponent(file.id)}/content`}
                download={file.filename}
              >
                <Icon name={file.media_type.startsWith('image/') ? 'image' : 'file'} size={18} />
                <span class="details-name">{file.filename}</span>
                <span class="row-detail">{about(file)}</span>
              </a>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}

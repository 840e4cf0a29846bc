/** The command palette: conversations, members, commands and messages. */
import { createEffect, createMemo, createSignal, createUniqueId, For, on, onCleanup, Show } from 'solid-js';
import { EmptyState } from '../parts/EmptyState';
import { Icon } from '../parts/Icon';
import { useMessageMember } from '../shell/member/use_message_member';
import { useStore } from '../state/store_context';
import { addBaseCommands } from './base_commands';
import { commands } from './commands';
import { entriesOf, messageEntries } from './entries';
import { findMessages } from './find_messages';
import { PaletteFrame } from './PaletteFrame';
import { PaletteRow } from './PaletteRow';
import { arrange, type PaletteEntry, type PaletteSection, parseQuery } from './palette_sections';
import { recentConversations } from './recent_conversations';
import { useThreadTitles } from './thread_titles';
import './Palette.css';

export function OpenPalette(props: { onClose(): void }) {
  onCleanup(addBaseCommands());
  const id = createUniqueId();
  const [typed, setTyped] = createSignal('');
  const [active, setActive] = createSignal(0);
  const sections = createSections(typed);
  const flat = createMemo(() => sections().flatMap((section) => section.entries));
  const pick = (entry: PaletteEntry | undefined) => {
    if (!entry) return;
    // Closes first: the target takes the focus from the page, not from the palette.
    props.onClose();
    entry.run();
  };
  const step = (by: 1 | -1) => setActive((at) => (at + by + flat().length) % Math.max(1, flat().length));
  const keys: Record<string, () => void> = {
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    Enter: () => pick(flat()[active()]),
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const isToggle = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
    const act = isToggle ? props.onClose : keys[event.key];
    if (!act || event.isComposing) return;
    event.preventDefault();
    act();
  };
  createEffect(on(typed, () => setActive(0), { defer: true }));
  createEffect(() => document.getElementById(`${id}-${active()}`)?.scrollIntoView?.({ block: 'nearest' }));
  return (
    <PaletteFrame onClose={props.onClose}>
      <PaletteField
        id={id}
        typed={typed()}
        active={flat().length > 0 ? active() : undefined}
        onType={setTyped}
        onKeyDown={onKeyDown}
        onClose={props.onClose}
      />
      <PaletteList id={id} sections={sections()} flat={flat()} active={active()} onHover={setActive} onPick={pick} />
      <Show when={flat().length === 0}>
        <EmptyState icon="search">No matches.</EmptyState>
      </Show>
      <p class="unseen" role="status">
        {flat().length === 1 ? '1 result' : `${flat().length} results`}
      </p>
      <PaletteFoot />
    </PaletteFrame>
  );
}

/** The groups of entries for what was typed. */
function createSections(typed: () => string): () => readonly PaletteSection[] {
  const store = useStore();
  const writeTo = useMessageMember();
  const text = () => {
    const { only, text: words } = parseQuery(typed());
    return only ? '' : words;
  };
  const found = findMessages(text, store.commands.search);
  const threadTitles = useThreadTitles(store);
  const recent = recentConversations();
  const entries = createMemo(() =>
    entriesOf(store.snapshot(), {
      store,
      recent,
      commands: commands(),
      threadTitles: threadTitles(),
      writeTo: (memberId) => void writeTo(memberId),
    }),
  );
  return createMemo(() => arrange(typed(), entries(), messageEntries(text(), found().hits, store.snapshot())));
}

function PaletteField(props: {
  id: string;
  typed: string;
  active: number | undefined;
  onType(text: string): void;
  onKeyDown(event: KeyboardEvent): void;
  onClose(): void;
}) {
  return (
    <div class="palette-field">
      <Icon name="search" />
      <input
        type="text"
        role="combobox"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        enterkeyhint="go"
        aria-label="Find a conversation, a member, a command or a message"
        aria-expanded="true"
        aria-controls={`${props.id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={props.active === undefined ? undefined : `${props.id}-${props.active}`}
        placeholder="Search or jump to…"
        value={props.typed}
        onInput={(event) => props.onType(event.currentTarget.value)}
        onKeyDown={(event) => props.onKeyDown(event)}
      />
      <button type="button" class="button palette-cancel" data-kind="quiet" onClick={() => props.onClose()}>
        Cancel
      </button>
    </div>
  );
}

function PaletteList(props: {
  id: string;
  sections: readonly PaletteSection[];
  flat: readonly PaletteEntry[];
  active: number;
  onHover(index: number): void;
  onPick(entry: PaletteEntry): void;
}) {
  return (
    <div class="palette-list" role="listbox" id={`${props.id}-list`} aria-label="Results">
      <For each={props.sections}>
        {(section) => (
          // biome-ignore lint/a11y/useSemanticElements: options may stand in a group, never in a fieldset.
          <div role="group" aria-labelledby={`${props.id}-${section.group}`}>
            <div class="palette-title" id={`${props.id}-${section.group}`} role="presentation">
              {section.title}
            </div>
            <For each={section.entries}>
              {(entry) => {
                const index = () => props.flat.indexOf(entry);
                return (
                  <PaletteRow
                    entry={entry}
                    id={`${props.id}-${index()}`}
                    isActive={props.active === index()}
                    onHover={() => props.onHover(index())}
                    onPick={() => props.onPick(entry)}
                  />
                );
              }}
            </For>
          </div>
        )}
      </For>
    </div>
  );
}

function PaletteFoot() {
  return (
    <footer class="palette-foot">
      <span>
        <kbd class="kbd">#</kbd> conversations
      </span>
      <span>
        <kbd class="kbd">@</kbd> members
      </span>
      <span>
        <kbd class="kbd">&gt;</kbd> commands
      </span>
    </footer>
  );
}

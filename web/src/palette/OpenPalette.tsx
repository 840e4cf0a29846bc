/** The command palette: conversations, members, commands and messages. */
import { createEffect, createMemo, createSignal, createUniqueId, For, on, onCleanup, Show } from 'solid-js';
import { EmptyState } from '../parts/EmptyState';
import { Icon } from '../parts/Icon';
import { useMessageMember } from '../shell/member/use_message_member';
import { useStore } from '../state/store_context';
import { arrange, type PaletteEntry, parseQuery } from './arrange';
import { addBaseCommands } from './base_commands';
import { commands } from './commands';
import { entriesOf, messageEntries } from './entries';
import { findMessages } from './find_messages';
import { PaletteFrame } from './PaletteFrame';
import { PaletteRow } from './PaletteRow';
import { recentConversations } from './recent';
import { useThreadTitles } from './thread_titles';
import './Palette.css';

export function OpenPalette(props: { onClose(): void }) {
  const store = useStore();
  onCleanup(addBaseCommands());
  const writeTo = useMessageMember();
  const id = createUniqueId();
  const [typed, setTyped] = createSignal('');
  const [active, setActive] = createSignal(0);
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
  const sections = createMemo(() =>
    arrange(typed(), entries(), messageEntries(text(), found().hits, store.snapshot())),
  );
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
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={flat().length > 0 ? `${id}-${active()}` : undefined}
          placeholder="Go to, do, find …"
          value={typed()}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <button type="button" class="button palette-cancel" data-kind="quiet" onClick={() => props.onClose()}>
          Cancel
        </button>
      </div>
      <div class="palette-list" role="listbox" id={`${id}-list`} aria-label="What fits">
        <For each={sections()}>
          {(section) => (
            // biome-ignore lint/a11y/useSemanticElements: options may stand in a group, never in a fieldset.
            <div role="group" aria-labelledby={`${id}-${section.group}`}>
              <div class="palette-title" id={`${id}-${section.group}`} role="presentation">
                {section.title}
              </div>
              <For each={section.entries}>
                {(entry) => {
                  const index = () => flat().indexOf(entry);
                  return (
                    <PaletteRow
                      entry={entry}
                      id={`${id}-${index()}`}
                      isActive={active() === index()}
                      onHover={() => setActive(index())}
                      onPick={() => pick(entry)}
                    />
                  );
                }}
              </For>
            </div>
          )}
        </For>
      </div>
      <Show when={flat().length === 0}>
        <EmptyState icon="search">Nothing is called like that.</EmptyState>
      </Show>
      <p class="unseen" role="status">
        {flat().length === 1 ? '1 line' : `${flat().length} lines`}
      </p>
      <PaletteFoot />
    </PaletteFrame>
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

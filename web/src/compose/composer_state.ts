/** State and actions of one composer: the draft, the caret, sending and commands. */
import { type Accessor, createMemo, createSignal } from 'solid-js';
import type { ConversationId } from '../api/model';
import { startEditing } from '../message/edit/edit_state';
import { permissionsFor } from '../message/toolbar/permissions';
import { toast } from '../parts/toast/Toast';
import { refusalText } from '../parts/toast/toast_refusal';
import { type Draft, EMPTY_DRAFT, type Store } from '../state/contract';
import { textAsFile } from './attach/paste';
import { forgetPreview } from './attach/previews';
import { type Uploads, uploadsOf } from './attach/uploads';
import { type ParsedCommand, parseCommand } from './command/commands';
import { runCommand } from './command/run_command';
import { FILES_MAX, PASTE_CHARS_MAX, UNDO_MS } from './limits';
import { isEmptyDraft, type Readiness, readinessOf, sendDraft } from './send_draft';
import { replaceText } from './suggest/replace_text';
import { createTypingNotices } from './typing_notices';

export class ComposerState {
  readonly store: Store;
  readonly id: Accessor<ConversationId>;
  readonly draft: Accessor<Draft>;
  readonly text: Accessor<string>;
  readonly parsed: Accessor<ParsedCommand>;
  readonly readiness: Accessor<Readiness>;
  readonly uploads: Uploads;
  readonly caret: Accessor<number>;
  /** Signal: the conversation that was typed in last; suggestions open only there. */
  readonly typedIn: Accessor<ConversationId | undefined>;
  readonly isHelpOpen: Accessor<boolean>;
  readonly setHelpOpen: (isOpen: boolean) => void;
  field: HTMLTextAreaElement | undefined;
  readonly #setCaret: (at: number) => void;
  readonly #setTypedIn: (id: ConversationId | undefined) => void;
  readonly #noteTyping: (id: ConversationId, text: string) => void;
  #isRunning = false;

  constructor(store: Store, id: Accessor<ConversationId>) {
    this.store = store;
    this.id = id;
    this.uploads = uploadsOf(store);
    this.draft = createMemo(() => store.draft(id()));
    this.text = createMemo(() => this.draft().text);
    this.parsed = createMemo(() => parseCommand(this.text()));
    this.readiness = createMemo(() => readinessOf(this.draft(), this.uploads.of(id())));
    [this.caret, this.#setCaret] = createSignal(0);
    [this.typedIn, this.#setTypedIn] = createSignal<ConversationId>();
    [this.isHelpOpen, this.setHelpOpen] = createSignal(false);
    this.#noteTyping = createTypingNotices(store);
  }

  change(patch: Partial<Draft>): void {
    this.store.commands.setDraft(this.id(), { ...this.store.draft(this.id()), ...patch });
  }

  /** Reads the field after an input event. */
  takeInput(): void {
    const text = this.field?.value ?? '';
    // A text that is being edited must not be sent when its uploads finish.
    this.uploads.setSendsWhenDone(this.id(), false);
    this.change({ text });
    this.#setTypedIn(this.id());
    this.noteCaret();
    this.#noteTyping(this.id(), text);
  }

  noteCaret(): void {
    this.#setCaret(this.field?.selectionEnd ?? 0);
  }

  /** The focus or the conversation has changed: closes suggestions. */
  rest(): void {
    this.#setTypedIn(undefined);
    this.noteCaret();
  }

  focus(): void {
    this.field?.focus();
  }

  replace(start: number, end: number, text: string): void {
    if (this.field) replaceText(this.field, start, end, text);
  }

  /** Inserts `@` at the caret. */
  beginMention(): void {
    const at = this.field?.selectionStart ?? this.text().length;
    const isBehindWord = /\S$/.test(this.text().slice(0, at));
    this.replace(at, this.field?.selectionEnd ?? at, isBehindWord ? ' @' : '@');
  }

  addFiles(files: readonly File[]): void {
    if (files.length === 0) return;
    const leftOut = this.uploads.add(this.id(), files);
    if (leftOut === 0) return;
    const which = leftOut === 1 ? '1 file was' : `${leftOut} files were`;
    toast(`A message can have at most ${FILES_MAX} files. ${which} left out.`, { kind: 'warning' });
  }

  removeAttachment(at: number): void {
    const { attachments } = this.draft();
    const gone = attachments[at];
    if (gone) forgetPreview(gone);
    this.change({ attachments: attachments.filter((_, index) => index !== at) });
  }

  /** Offers to attach a long pasted text as a file. */
  offerAsFile(pasted: string): void {
    if (pasted.length <= PASTE_CHARS_MAX) return;
    const id = this.id();
    const attach = () => {
      const draft = this.store.draft(id);
      this.store.commands.setDraft(id, { ...draft, text: draft.text.replace(pasted, () => '') });
      this.uploads.add(id, [textAsFile(pasted)]);
    };
    const words = `You pasted ${pasted.length.toLocaleString('en')} characters.`;
    toast(words, { key: 'paste', ms: UNDO_MS, action: { label: 'Attach as a file', run: attach } });
  }

  /** Sends the draft or runs its command. Does nothing when that is not possible now. */
  submit(): void {
    const parsed = this.parsed();
    if (parsed.type === 'command') {
      void this.#run(parsed);
      return;
    }
    if (parsed.type === 'options') {
      const { type: _, ...options } = parsed;
      this.change(options);
    }
    if (this.readiness() === 'uploading') this.uploads.setSendsWhenDone(this.id(), true);
    if (this.readiness() !== 'ready') return;
    sendDraft(this.store, this.id());
    this.rest();
  }

  async #run(parsed: Extract<ParsedCommand, { type: 'command' }>): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const id = this.id();
    const text = this.text();
    const doing = { store: this.store, conversationId: id, showHelp: () => this.setHelpOpen(true) };
    try {
      const outcome = await runCommand(parsed, doing);
      const undo = outcome.type === 'done' ? outcome.undo : undefined;
      if (outcome.words) toast(outcome.words, undo ? { action: { label: 'Undo', run: undo } } : {});
      const draft = this.store.draft(id);
      if (outcome.type === 'done' && draft.text === text) this.store.commands.setDraft(id, { ...draft, text: '' });
    } catch (thrown) {
      toast(`${refusalText(thrown)} Your text is kept.`, { kind: 'danger' });
    } finally {
      this.#isRunning = false;
    }
  }

  /** Empties the draft; the toast's undo restores it before anything typed since. */
  clear(): void {
    const id = this.id();
    const before = this.draft();
    const caret = this.field?.selectionEnd ?? before.text.length;
    this.store.commands.setDraft(id, EMPTY_DRAFT);
    const restore = () => {
      const since = this.store.draft(id);
      const text = since.text === '' ? before.text : `${before.text}\n${since.text}`;
      const attachments = [...before.attachments, ...since.attachments].slice(0, FILES_MAX);
      this.store.commands.setDraft(id, { ...before, text, attachments });
      if (this.id() !== id) return;
      this.focus();
      this.field?.setSelectionRange(caret, caret);
    };
    toast('Cleared.', { key: `cleared ${id}`, ms: UNDO_MS, action: { label: 'Undo', run: restore } });
  }

  /** Starts editing the writer's last message; returns false when there is none. */
  editLast(): boolean {
    const session = this.store.session();
    if (session.state !== 'signed_in' || !isEmptyDraft(this.draft())) return false;
    const messageList = this.store.messageList(this.id());
    const last = messageList.ids().findLast((id) => {
      const message = messageList.message(id);
      return message !== undefined && permissionsFor(message, session.me, this.store.snapshot()).edit;
    });
    if (last !== undefined) startEditing(last);
    return last !== undefined;
  }
}

/** The inline editor of a message. */
import { createSignal, onMount, Show } from 'solid-js';
import type { Message } from '../../api/model';
import { refusalText } from '../../parts/toast/toast_refusal';
import { useStore } from '../../state/store_context';
import { keepTyped, stopEditing, typedText } from './edit_state';
import './EditField.css';

export function EditField(props: { message: Message }) {
  const store = useStore();
  const [text, setText] = createSignal(typedText(props.message.id) ?? props.message.body);
  const [problem, setProblem] = createSignal('');
  const [isBusy, setBusy] = createSignal(false);
  let field: HTMLTextAreaElement | undefined;
  onMount(() => {
    field?.focus();
    field?.setSelectionRange(text().length, text().length);
    grow(field);
  });
  /** Returns the focus to where it was, else to the row. */
  const close = (from: Element | undefined) => {
    const article = from?.closest<HTMLElement>('article.message');
    if (!stopEditing()) article?.focus();
  };
  /** A refusal leaves the field as it is. */
  const save = async () => {
    if (text().trim() === '' || isBusy()) return;
    if (text() === props.message.body) return close(field);
    setBusy(true);
    setProblem('');
    try {
      await store.commands.edit(props.message.id, text());
      close(field);
    } catch (thrown) {
      setProblem(`Not saved: ${refusalText(thrown)} Your text is kept.`);
    }
    setBusy(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const sends = store.preferences().enterSends ? !event.shiftKey : event.ctrlKey || event.metaKey;
    if (event.key === 'Enter' && sends) {
      event.preventDefault();
      void save();
    } else if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      close(field);
    }
  };
  return (
    <form
      class="edit-field"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <textarea
        ref={field}
        rows="1"
        aria-label="Edit the message"
        value={text()}
        onInput={(event) => {
          setText(event.currentTarget.value);
          keepTyped(event.currentTarget.value);
          grow(event.currentTarget);
        }}
        onKeyDown={onKeyDown}
      />
      <Show when={problem()}>
        <p class="problem" role="alert">
          {problem()}
        </p>
      </Show>
      <div class="edit-foot">
        <span class="hint">Escape cancels</span>
        <button type="button" class="button" onClick={() => close(field)}>
          Cancel
        </button>
        <button type="submit" class="button" data-kind="main" disabled={isBusy() || text().trim() === ''}>
          Save
        </button>
      </div>
    </form>
  );
}

/** Grows with its text; the style sheet sets the limit. */
function grow(field: HTMLTextAreaElement | undefined): void {
  if (!field) return;
  field.style.height = 'auto';
  field.style.height = `${field.scrollHeight + 2}px`;
}

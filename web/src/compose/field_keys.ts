/** Maps keys in the text field to actions. Pure; the field performs them. */

export interface Key {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly isComposing: boolean;
  readonly keyCode: number;
}

export interface FieldState {
  readonly isListOpen: boolean;
  /** The typed text is already a whole command: Enter runs it instead of picking. */
  readonly isWholeCommand: boolean;
  readonly isReplying: boolean;
  readonly isEmpty: boolean;
  readonly hasText: boolean;
  readonly enterSends: boolean;
}

export type FieldAction =
  | 'send'
  | 'pick'
  | 'next'
  | 'previous'
  | 'close_list'
  | 'cancel_reply'
  | 'clear'
  | 'edit_last'
  /** The browser handles the key. */
  | 'leave';

/** Key code that browsers report for keys handled by an input method. */
const TAKEN_BY_INPUT_METHOD = 229;

export function actionOfKey(key: Key, now: FieldState): FieldAction {
  if (key.isComposing || key.keyCode === TAKEN_BY_INPUT_METHOD) return 'leave';
  const hasModifier = key.shiftKey || key.altKey || key.ctrlKey || key.metaKey;
  switch (key.key) {
    case 'Enter':
      return actionOfEnter(key, now, hasModifier);
    case 'Tab':
      return now.isListOpen && !hasModifier ? 'pick' : 'leave';
    case 'ArrowDown':
      return now.isListOpen && !hasModifier ? 'next' : 'leave';
    case 'ArrowUp':
      if (hasModifier) return 'leave';
      if (now.isListOpen) return 'previous';
      return now.hasText ? 'leave' : 'edit_last';
    case 'Escape':
      return hasModifier ? 'leave' : actionOfEscape(now);
  }
  return 'leave';
}

function actionOfEnter(key: Key, now: FieldState, hasModifier: boolean): FieldAction {
  if (now.isListOpen && !hasModifier && !now.isWholeCommand) return 'pick';
  if (key.shiftKey || key.altKey) return 'leave';
  if (key.ctrlKey || key.metaKey) return 'send';
  return now.enterSends ? 'send' : 'leave';
}

function actionOfEscape(now: FieldState): FieldAction {
  if (now.isListOpen) return 'close_list';
  if (now.isReplying) return 'cancel_reply';
  return now.isEmpty ? 'leave' : 'clear';
}

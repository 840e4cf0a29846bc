/** What the context engine is asked and answers: what a model would see, what it saw, and why. */
import type { Author, Door } from './model';

/** A part of a pack, in the order of the text. */
export type Section = 'project' | 'neighbours' | 'task' | 'artifacts' | 'threads' | 'history';
export type SubjectType = 'project' | 'agent' | 'task' | 'artifact' | 'message' | 'summary';
/** Why something came into question. */
export type Reason =
  | 'current'
  | 'blocking'
  | 'mention'
  | 'reply'
  | 'unread'
  | 'thread'
  | 'task'
  | 'subscribed'
  | 'parent'
  | 'peer'
  | 'artifact'
  | 'recent'
  | 'found';
/** At which length something is shown. */
export type Level = 'full' | 'head_tail' | 'extract' | 'one_line' | 'handle';
/** Why something is not shown. */
export type LeftOut =
  | 'no_room'
  | 'irrelevant'
  | 'sender_quota'
  | 'thread_quota'
  | 'trust_quota'
  | 'duplicate'
  | 'summarised'
  | 'told'
  | 'empty';

/** The forms that the page asks for. */
export type ContextFormat = 'pack' | 'injection';

export interface AskContext {
  readonly format: ContextFormat;
  readonly budget?: number;
  readonly model?: string;
  readonly conversation_id?: string;
  readonly message_id?: string;
}

/** One candidate, and what became of it. */
export interface ReceiptItem {
  readonly type: SubjectType;
  readonly id: string;
  readonly section: Section;
  readonly conversation_id?: string | null;
  readonly seq?: number | null;
  readonly from?: Author | null;
  readonly reasons: readonly Reason[];
  readonly score: number;
  /** Absent when it is not shown. */
  readonly level?: Level | null;
  readonly left_out?: LeftOut | null;
  readonly same_as?: string | null;
  readonly tokens?: number;
  readonly text?: string;
  readonly redactions?: number;
}

export interface SectionTotal {
  readonly section: Section;
  readonly tokens: number;
  readonly shown: number;
  readonly left_out: number;
}

/** What a pack shows and what it leaves out. */
export interface Receipt {
  readonly budget: number;
  readonly used: number;
  /** Tokens of the hub's own words around what is shown. */
  readonly frame: number;
  readonly counting: { readonly encoding: string; readonly is_exact: boolean };
  readonly sections: readonly SectionTotal[];
  /** Those that are shown in the order of the text, then the others. */
  readonly items: readonly ReceiptItem[];
  /** Candidates that are neither shown nor listed. */
  readonly unlisted?: number;
  readonly redactions?: readonly { readonly kind: string; readonly count: number }[];
  /** Invisible signs that were taken out. */
  readonly invisible?: number;
}

/** What a model would see. */
export interface Pack {
  readonly agent_id: string;
  readonly format: string;
  readonly text: string;
  readonly receipt: Receipt;
}

/** What was given to the model of a run. */
export interface Injection {
  readonly id: string;
  readonly run_id: string;
  readonly agent_id: string;
  readonly door: Door;
  readonly format: string;
  readonly at: string;
  /** Absent for a reader who may not read all of it, and when something in it was changed since. */
  readonly text?: string | null;
  readonly receipt: Receipt;
}

/** How what two runs were given differs. */
export interface Difference {
  readonly only_before: readonly ReceiptItem[];
  readonly only_after: readonly ReceiptItem[];
  /** As the first and as the second saw it. */
  readonly changed: readonly (readonly ReceiptItem[])[];
  readonly same: number;
}

/** Types of what waits, runs and was delivered, as the hub tells them. */
import type { Author, ConversationId, Message } from './model';

export type QuestionState = 'open' | 'answered' | 'expired' | 'ignored' | 'withdrawn';

/** One of the answers that are offered. */
export interface AnswerOption {
  id: string;
  label: string;
  description?: string | null;
}

/** What a blocking message asks, as a part of the wish to post it. */
export interface Ask {
  options?: AnswerOption[];
  schema?: Record<string, unknown> | null;
  default?: unknown;
  expires_in_seconds?: number | null;
  run_id?: string | null;
}

export interface Answer {
  option?: string | null;
  value?: unknown;
  text?: string | null;
  message_id?: string | null;
  is_default?: boolean;
}

export interface Question {
  addressees: string[];
  options?: AnswerOption[];
  schema?: Record<string, unknown> | null;
  default?: unknown;
  expires_at: string;
  state: QuestionState;
  answer?: Answer | null;
  ignored_by?: string[];
  closed_at?: string | null;
  closed_by?: Author | null;
}

/** The wish to answer: exactly one of its fields is given. */
export interface GiveAnswer {
  option?: string | null;
  value?: unknown;
  text?: string | null;
  ignore?: boolean;
}

/** What a message answers. */
export interface AnswerTo {
  message_id: string;
  option?: string | null;
  value?: unknown;
}

/** Why a message that replies to a question does not answer it. */
export interface AnswerProblem {
  code: string;
  detail: string;
}

export interface QuestionMark {
  message_id: string;
  conversation_id: ConversationId;
  question: Question;
}

/** A question that waits for an answer, as the board shows it. */
export interface OpenQuestion {
  message: Message;
  project_name: string;
  channel_name?: string | null;
  blocks: Run[];
}

export type RunState = 'running' | 'paused' | 'done' | 'failed' | 'cancelled';
export type PauseReason = 'message' | 'asked';

export interface Pause {
  reason: PauseReason;
  message_id: string;
  conversation_id: ConversationId;
  from: Author;
  since: string;
}

export interface Usage {
  input_tokens?: number;
  output_tokens?: number;
}

export interface Run {
  id: string;
  project_id: string;
  agent_id: string;
  state: RunState;
  label?: string | null;
  conversation_id?: ConversationId | null;
  message_id?: string | null;
  task_id?: string | null;
  pauses?: Pause[];
  reason?: string | null;
  usage?: Usage | null;
  lease_seconds: number;
  started_at: string;
  updated_at: string;
  finished_at?: string | null;
}

export type DeliveryState = 'stored' | 'queued' | 'injected' | 'seen' | 'answered' | 'expired' | 'failed';
export type Door = 'prompt' | 'checkpoint' | 'nudge' | 'tool' | 'hook';
export type DeliveryReason = 'subscription' | 'thread' | 'dm' | 'mention';

export interface Delivery {
  message_id: string;
  recipient: string;
  reason: DeliveryReason;
  state: DeliveryState;
  door?: Door | null;
  run_id?: string | null;
  why?: string | null;
  stored_at: string;
  queued_at?: string | null;
  injected_at?: string | null;
  seen_at?: string | null;
  handled_at?: string | null;
  answered_at?: string | null;
  ended_at?: string | null;
  answer_id?: string | null;
  time_to_read_ms?: number | null;
}

export interface DeliveryMark {
  conversation_id: ConversationId;
  deliveries: Delivery[];
}

export type MomentKind =
  | 'run_started'
  | 'paused'
  | 'asked'
  | 'resumed'
  | 'run_done'
  | 'run_failed'
  | 'run_cancelled'
  | 'task_created'
  | 'task_moved';

/** One moment of a run or a task. */
export interface Moment {
  no: number;
  at: string;
  kind: MomentKind;
  by: Author;
  run_id?: string | null;
  task_id?: string | null;
  message_id?: string | null;
  detail?: string | null;
}

export interface InboxEntry {
  reason: DeliveryReason;
  message: Message;
}

export interface InboxCounts {
  total: number;
  mentions: number;
  high: number;
  critical: number;
  blocking: number;
}

/** Events about these things. */
export type WorkChange =
  | { name: 'messaging.delivered'; data: DeliveryMark }
  | { name: 'messaging.question'; data: QuestionMark }
  | { name: 'runs.started' | 'runs.paused' | 'runs.resumed' | 'runs.ended'; data: Run };

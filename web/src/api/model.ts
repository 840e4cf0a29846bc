/** Short names for the generated types of the API. Nothing outside this folder reads `types.ts`. */
import type { components } from './types';
import type { AnswerProblem, AnswerTo, Ask, Question, Run } from './work_model';

type Schemas = components['schemas'];

export type Agent = Schemas['Agent'];
export type Artifact = Schemas['Artifact'];
export type Attachment = Schemas['Attachment'];
export type Author = Schemas['Author'];
export type Channel = Schemas['Channel'];
export type ChannelMember = Schemas['ChannelMember'];
export type Chunk = Schemas['InProject_Chunk'];
export type Dm = Schemas['Dm'];
export type HubEvent = Schemas['Event'];
export type Hit = Schemas['Hit'];
export type Importance = Schemas['Importance'];
export type InviteWithCode = Schemas['InviteWithCode'];
export type Kind = Schemas['Kind'];
export type Me = Schemas['Me'];
export type MentionProblem = Schemas['MentionProblem'];
export type Message = Schemas['Message'] & { question?: Question | null; answer_to?: AnswerTo | null };
export type Person = Schemas['Person'];
export type PostMessage = Schemas['PostMessage'] & { question?: Ask | null };
export type PostedMessage = Schemas['PostedMessage'] & Message & { answer_problem?: AnswerProblem | null };
export type Presence = Schemas['Presence'];
export type Problem = Schemas['Problem'];
export type Project = Schemas['Project'];
export type Reaction = Schemas['Reaction'];
export type Reading = Schemas['Reading'];
export type Running = Schemas['InProject_Running'];
export type ServerFrame = Schemas['ServerFrame'];
export type Snapshot = Schemas['Snapshot'] & { runs?: Run[] };
export type State = Schemas['State'];
export type Step = Schemas['Step'];
export type Thread = Schemas['Thread'];
export type Visibility = Schemas['Visibility'];

/** A person or an agent: whoever can be mentioned, written to, and seen in the sidebar. */
export type Member =
  | { type: 'person'; id: string; name: string; person: Person }
  | { type: 'agent'; id: string; name: string; agent: Agent };

/** The id of a channel (`chn_`), thread (`thr_`) or dm (`dm_`). */
export type ConversationId = string;

export type {
  Answer,
  AnswerOption,
  AnswerProblem,
  AnswerTo,
  Ask,
  Delivery,
  DeliveryReason,
  DeliveryState,
  Door,
  GiveAnswer,
  InboxCounts,
  InboxEntry,
  Moment,
  MomentKind,
  OpenQuestion,
  Pause,
  PauseReason,
  Question,
  QuestionState,
  Run,
  RunState,
  Usage,
} from './work_model';

/** Short names for the generated API types. No file outside this folder imports `types.ts`. */
import type { components } from './types';

type Schemas = components['schemas'];

export type Agent = Schemas['Agent'];
export type Answer = Schemas['Answer'];
export type AnswerOption = Schemas['AnswerOption'];
export type AnswerProblem = Schemas['AnswerProblem'];
export type Artifact = Schemas['Artifact'];
export type Attachment = Schemas['Attachment'];
export type Author = Schemas['Author'];
export type Channel = Schemas['Channel'];
export type ChannelMember = Schemas['ChannelMember'];
export type Chunk = Schemas['ProjectFrame_Chunk'];
export type Delivery = Schemas['Delivery'];
export type DeliveryReason = Schemas['DeliveryReason'];
export type DeliveryState = Schemas['DeliveryState'];
export type Digest = Schemas['Digest'];
export type Dm = Schemas['Dm'];
export type DeliveryPath = Schemas['DeliveryPath'];
export type Hit = Schemas['Hit'];
export type HubEvent = Schemas['Event'];
export type Importance = Schemas['Importance'];
export type InboxCounts = Schemas['InboxCounts'];
export type InboxEntry = Schemas['InboxEntry'];
export type InviteWithCode = Schemas['InviteWithCode'];
export type Kind = Schemas['Kind'];
export type Me = Schemas['Me'];
export type MentionProblem = Schemas['MentionProblem'];
export type Message = Schemas['Message'];
export type MessagePreview = Schemas['MessagePreview'];
export type TimelineEntry = Schemas['TimelineEntry'];
export type TimelineEntryKind = Schemas['TimelineEntryKind'];
export type OpenQuestion = Schemas['OpenQuestion'];
export type Pause = Schemas['Pause'];
export type PauseReason = Schemas['PauseReason'];
export type Person = Schemas['Person'];
export type PostedMessage = Schemas['PostedMessage'];
export type Presence = Schemas['Presence'];
export type Problem = Schemas['Problem'];
export type Project = Schemas['Project'];
export type Question = Schemas['Question'];
export type QuestionState = Schemas['QuestionState'];
export type Reaction = Schemas['Reaction'];
export type Reading = Schemas['ReadState'];
export type Run = Schemas['Run'];
export type RunState = Schemas['RunState'];
export type Running = Schemas['ProjectFrame_StreamSnapshot'];
export type ServerFrame = Schemas['ServerFrame'];
export type Snapshot = Schemas['Snapshot'];
export type State = Schemas['State'];
export type Step = Schemas['Step'];
export type Thread = Schemas['Thread'];
export type Usage = Schemas['Usage'];
export type Visibility = Schemas['Visibility'];

export type PostMessage = Omit<Schemas['PostMessage'], 'question'> & { question?: Ask | null };

/** A person or an agent. */
export type Member =
  | { type: 'person'; id: string; name: string; person: Person }
  | { type: 'agent'; id: string; name: string; agent: Agent };

/** The id of a channel (`chn_`), thread (`thr_`) or DM (`dm_`). */
export type ConversationId = string;

/** The question of a blocking message; every field is optional. */
export type Ask = Partial<Schemas['NewQuestion']>;

/** The request that answers a question; exactly one field is set. */
export type GiveAnswer = Partial<Schemas['AnswerRequest']>;

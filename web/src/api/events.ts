/** Events of the log as received; the names are the subjects in `docs/live.md`. */
import type { components } from './types';

type Schemas = components['schemas'];

/** An event without its position. Unknown names come from a newer hub and change nothing on this page. */
export type Change = Schemas['Change'];

export type QuestionChange = Schemas['QuestionMark'];

export type ReactionChange = Schemas['ReactionMark'];
export type ReadMark = Schemas['ReadMark'];
export type PresenceChanges = Schemas['ProjectFrame_PresenceChanges'];
export type StepOf = Schemas['ProjectFrame_StepFrame'];
export type Typing = Schemas['ProjectFrame_Typing'];

/** One entry of a project's log. */
export type LogEvent = Schemas['Event'];

type WithType<Name extends string, Body> = Body & { type: Name };

/** A frame that the hub sends over `/live`. */
export type Frame =
  | WithType<'hello', Schemas['Hello']>
  | WithType<'event', LogEvent>
  | WithType<'gap', Schemas['Gap']>
  | WithType<'live', Schemas['ReachedPosition']>
  | WithType<'position', Schemas['ReachedPosition']>
  | EphemeralFrame
  | WithType<'ok', Schemas['CommandDone']>
  | WithType<'refused', Schemas['CommandRefused']>;

/** A frame that is not stored in the log and is never sent again. */
export type EphemeralFrame =
  | WithType<'stream', Schemas['ProjectFrame_StreamSnapshot']>
  | WithType<'chunk', Schemas['ProjectFrame_Chunk']>
  | WithType<'step_started', StepOf>
  | WithType<'step_finished', StepOf>
  | WithType<'typing', Typing>
  | WithType<'presence', PresenceChanges>;

/**
 * Splits a position into the epoch of the log and the offset of the event in it. The start tag between them names the
 * start of the hub that issued the position; it changes with every restart and is left out here.
 */
export function parsePosition(position: string): { epoch: string; offset: number } {
  const dash = position.lastIndexOf('-');
  const [epoch = ''] = position.slice(0, dash).split('.');
  return { epoch, offset: Number(position.slice(dash + 1)) };
}

/** Returns the conversation of an event about messages. */
export function conversationOfEvent(event: Change): string | undefined {
  switch (event.name) {
    case 'messaging.posted':
    case 'messaging.finished':
    case 'messaging.edited':
    case 'messaging.removed':
      return event.data.to;
    case 'messaging.reacted':
    case 'messaging.unreacted':
    case 'messaging.question':
      return event.data.conversation_id;
    case 'messaging.thread_created':
      return event.data.channel_id;
    default:
      return undefined;
  }
}

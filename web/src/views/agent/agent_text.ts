/** What is said of an agent: what can be done with it, and what bounds it. Pure. */
import type { Presence, Project } from '../../api/model';
import { durationText } from '../../parts/duration';

/** How it can be worked with, as its process tells. */
export function abilityTexts(presence: Presence | undefined): readonly string[] {
  if (!presence) return ['It is not there. What it is asked waits until it comes back.'];
  const { can_be_paused, can_be_woken, can_stream } = presence.abilities;
  return [
    can_be_woken ? 'A mention makes it answer.' : 'It reads its inbox when it wants to.',
    ...(can_be_paused ? ['A blocking message pauses it at its next checkpoint.'] : []),
    ...(can_stream ? ['Its answers can be read while it writes.'] : []),
  ];
}

export interface Limit {
  readonly name: string;
  readonly words: string;
}

/** The rules of the project that bound every agent in it. */
export function limitTexts({ policy }: Pick<Project, 'policy'>): readonly Limit[] {
  if (!policy) return [];
  const { calls, loop_limits: loops } = policy;
  return [
    {
      name: 'Calls that wait',
      words: `at most ${calls.waiting_max}, each for ${durationText(calls.expire_seconds * 1_000)}`,
    },
    { name: 'Answers among agents', words: `${loops.response_depth_max} in a row, then a person has to speak` },
    {
      name: 'In one conversation',
      words: `${loops.conversation_answers_max} messages of agents until a person speaks there`,
    },
    {
      name: 'Between two agents',
      words: `${loops.pair_messages_max} messages in ${durationText(loops.pair_window_seconds * 1_000)}`,
    },
  ];
}

/** Texts about an agent: capabilities and limits. Pure. */
import type { Presence, Project } from '../../api/model';
import { durationText } from '../../parts/time/duration';

/** Returns the capabilities that the agent's process reports. */
export function abilityTexts(presence: Presence | undefined): readonly string[] {
  if (!presence) return ['Offline. Messages wait until it is back.'];
  const { can_be_paused, can_be_woken, can_stream } = presence.abilities;
  return [
    can_be_woken ? 'Answers when mentioned.' : 'Reads its inbox by itself.',
    ...(can_be_paused ? ['A blocking message pauses it at the next checkpoint.'] : []),
    ...(can_stream ? ['Streams its answers.'] : []),
  ];
}

export interface Limit {
  readonly name: string;
  readonly words: string;
}

/** Returns the limits of the project that apply to every agent. */
export function limitTexts({ policy }: Pick<Project, 'policy'>): readonly Limit[] {
  if (!policy) return [];
  const { calls, loop_limits: loops } = policy;
  return [
    {
      name: 'Waiting calls',
      words: `at most ${calls.waiting_max}, each for ${durationText(calls.expire_seconds * 1_000)}`,
    },
    { name: 'Answers among agents', words: `${loops.response_depth_max} in a row without a person` },
    {
      name: 'In one conversation',
      words: `${loops.conversation_answers_max} agent messages until a person writes`,
    },
    {
      name: 'Between two agents',
      words: `${loops.pair_messages_max} messages in ${durationText(loops.pair_window_seconds * 1_000)}`,
    },
  ];
}

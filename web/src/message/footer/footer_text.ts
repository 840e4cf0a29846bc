/** Texts about members that a message did not reach. Pure. */
import type { MentionProblem, Message } from '../../api/model';

type HeldCall = NonNullable<Message['held']>[number];

const RULE_TEXT: Record<HeldCall['rule'], string> = {
  depth: 'too many agent replies without a person',
  chain: 'it has already answered in this chain',
  pair: 'the two agents called each other too often',
  budget: 'the message budget of agents is used up here',
  no_progress: 'agents repeat nearly the same messages',
  correlation: 'calls under one correlation id went too deep, too long or too fast',
  waiting: 'too many of its calls are already waiting',
};

/** Returns "Reviewer was not called: too many agent replies without a person." */
export function heldText(held: HeldCall): string {
  return `${held.name} was not called: ${RULE_TEXT[held.rule]}.`;
}

export function problemText(problem: MentionProblem): string {
  const name = `@${problem.name}`;
  switch (problem.reason) {
    case 'unknown':
      return `Nobody is called ${name}.`;
    case 'ambiguous':
      return `Several members are called ${name}.`;
    case 'not_in_conversation':
      return `${name} is not in this conversation and was not notified.`;
    case 'wide':
      return `${name} called nobody.`;
  }
}

/** Replaces a wrong name where it is a mention. */
export function replaceMention(body: string, wrong: string, right: string): string {
  const escaped = wrong.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return body.replace(new RegExp(`@${escaped}(?![\\p{L}\\p{N}_-])`, 'gu'), () => `@${right}`);
}

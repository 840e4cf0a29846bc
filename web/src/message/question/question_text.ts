/** Texts of a question card. Pure. */

import type { Message, Question } from '../../api/model';
import { capitalize, joinNames } from '../../text/wording';
import { answerText } from './choices';

/** The reader and the names of members, for texts about them. */
export interface Viewer {
  readonly readerId: string | undefined;
  nameOf(id: string): string | undefined;
}

const NAMES_MAX = 3;

/** Returns "Coder asks you, and waits". */
export function asksText(message: Message, question: Question, viewer: Viewer): string {
  const isMine = message.from.id === viewer.readerId;
  const whom = namesText(question.addressees, viewer);
  if (isMine) return question.state === 'open' ? `You ask ${whom}, and wait` : `You asked ${whom}`;
  return question.state === 'open'
    ? `${message.from.name} asks ${whom}, and waits`
    : `${message.from.name} asked ${whom}`;
}

/** Returns "you, Coder and 2 more": the reader first, then known names. */
export function namesText(ids: readonly string[], { readerId, nameOf }: Viewer): string {
  const others = ids.filter((id) => id !== readerId);
  const known = others.flatMap((id) => nameOf(id) ?? []);
  const named = [...(others.length < ids.length ? ['you'] : []), ...known].slice(0, NAMES_MAX);
  const rest = ids.length - named.length;
  if (named.length === 0) return rest === 1 ? 'somebody' : `${rest} members`;
  return joinNames(rest > 0 ? [...named, `${rest} more`] : named);
}

/** Texts of a closed question: title, answer if known, and the reason when nobody answered. */
export interface QuestionOutcome {
  readonly title: string;
  readonly answer?: string;
  readonly why?: string;
}

export function outcomeOf(question: Question, viewer: Viewer): QuestionOutcome | undefined {
  const { state, answer } = question;
  const by = closedBy(question, viewer);
  const answerOfQuestion = answer ? answerText(question, answer) : undefined;
  const itself = answerOfQuestion === undefined ? {} : { answer: answerOfQuestion };
  switch (state) {
    case 'open':
      return undefined;
    case 'answered':
      return { title: `${by} answered`, ...itself };
    case 'expired':
      return answer
        ? { title: 'Default answer used', ...itself, why: 'Nobody answered in time.' }
        : { title: 'Expired', why: 'Nobody answered in time.' };
    case 'ignored': {
      const why = `${capitalize(namesText(question.ignored_by ?? [], viewer))} ignored it.`;
      return answer ? { title: 'Default answer used', ...itself, why } : { title: 'Ignored', why };
    }
    case 'unanswered': {
      const why = `${capitalize(namesText(question.unanswered_by ?? [], viewer))} went on without an answer.`;
      return answer ? { title: 'Default answer used', ...itself, why } : { title: 'Not answered', why };
    }
    case 'withdrawn':
      return { title: `${by} withdrew it` };
  }
}

function closedBy({ closed_by }: Question, { readerId }: Viewer): string {
  if (!closed_by) return 'Somebody';
  return closed_by.id === readerId ? 'You' : closed_by.name;
}

/** What can be answered with one click: the options, or the default of a question without any. Pure. */
import type { Answer, GiveAnswer, Question } from '../../api/model';

export interface AnswerChoice {
  readonly label: string;
  readonly description?: string;
  readonly give: GiveAnswer;
  /** It counts when nobody answers. */
  readonly isDefault: boolean;
}

/** Longer values are shown in part. */
const VALUE_CHARS_MAX = 120;

export function choicesOf(question: Question): readonly AnswerChoice[] {
  const { options = [], default: byDefault } = question;
  if (options.length > 0) {
    return options.map(({ id, label, description }) => ({
      label,
      ...(description ? { description } : {}),
      give: { option: id },
      isDefault: id === byDefault,
    }));
  }
  if (byDefault === undefined || byDefault === null) return [];
  return [{ label: valueText(byDefault), give: { value: byDefault }, isDefault: true }];
}

/** The text that an answer of one's own begins with: what the default would say, or the first option. */
export function editableText(question: Question): string | undefined {
  const choices = choicesOf(question);
  const start = choices.find((one) => one.isDefault) ?? choices[0];
  if (!start) return undefined;
  return question.schema ? JSON.stringify(question.default, null, 2) : start.label;
}

/** What was answered, in words; undefined when it stands in a message of its own. */
export function answerText(question: Question, answer: Answer): string | undefined {
  if (answer.option) return question.options?.find((one) => one.id === answer.option)?.label ?? answer.option;
  if (answer.value !== undefined && answer.value !== null) return valueText(answer.value);
  return answer.text ?? undefined;
}

/** A value as people read it: texts as they are, the rest as JSON. */
export function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > VALUE_CHARS_MAX ? `${text.slice(0, VALUE_CHARS_MAX - 1)}…` : text;
}

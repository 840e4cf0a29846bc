/** Answers that take one click: the options, or the default of a question without options. Pure. */
import type { Answer, GiveAnswer, Question } from '../../api/model';

export interface AnswerChoice {
  readonly label: string;
  readonly description?: string;
  readonly give: GiveAnswer;
  /** Used when nobody answers. */
  readonly isDefault: boolean;
}

/** Longer values are shortened. */
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

/** Returns the text to start editing with: the default or the first option. */
export function editableText(question: Question): string | undefined {
  const choices = choicesOf(question);
  const start = choices.find((one) => one.isDefault) ?? choices[0];
  if (!start) return undefined;
  return question.schema ? JSON.stringify(question.default, null, 2) : start.label;
}

/** Returns the answer as text; undefined when it is a message. */
export function answerText(question: Question, answer: Answer): string | undefined {
  if (answer.option) return question.options?.find((one) => one.id === answer.option)?.label ?? answer.option;
  if (answer.value !== undefined && answer.value !== null) return valueText(answer.value);
  return answer.text ?? undefined;
}

/** Formats a value: strings as they are, others as JSON. */
export function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > VALUE_CHARS_MAX ? `${text.slice(0, VALUE_CHARS_MAX - 1)}…` : text;
}

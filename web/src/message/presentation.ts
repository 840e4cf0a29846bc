/**
 * Which form a message has: a pure answer from its fields. The text never decides, so a typed `[scheduler:x]` is what a
 * person typed, and a message looks the same live and after a reload.
 */
import type { Author, Message } from '../api/model';

/** Whose colour it has, or which look of its own. */
export type PresentationName = 'user' | 'applet' | 'agent' | 'scheduler' | 'assistant' | 'tool' | 'system' | 'host';

export interface Presentation {
  readonly name: PresentationName;
  /** `speech` has a bubble, `question` a card, `tool` is a folded row, `note` stands in the middle. */
  readonly layout: 'speech' | 'question' | 'tool' | 'note';
  readonly side: 'start' | 'end' | 'centre';
  /** Whom people see behind it: one of the four sources, or the hub and its tools. */
  readonly source: Exclude<PresentationName, 'assistant'>;
  /** The class by which others style it. */
  readonly className: string;
  /** Where it came from, in one word beside the name. */
  readonly chip?: string;
  readonly avatar: 'person' | 'agent' | 'applet' | 'scheduler' | 'assistant';
  /** It keeps its place and has lost its text. */
  readonly isRemoved: boolean;
}

/** What a form looks like, whoever wrote it. */
type Look = Pick<Presentation, 'layout' | 'side' | 'avatar' | 'chip'>;

const LOOKS: Record<PresentationName, Look> = {
  user: { layout: 'speech', side: 'end', avatar: 'person' },
  applet: { layout: 'speech', side: 'end', avatar: 'applet', chip: 'applet' },
  agent: { layout: 'speech', side: 'end', avatar: 'agent', chip: 'agent to agent' },
  scheduler: { layout: 'speech', side: 'end', avatar: 'scheduler', chip: 'schedule' },
  assistant: { layout: 'speech', side: 'start', avatar: 'assistant' },
  tool: { layout: 'tool', side: 'start', avatar: 'assistant' },
  system: { layout: 'note', side: 'centre', avatar: 'assistant' },
  host: { layout: 'note', side: 'centre', avatar: 'assistant' },
};

/** Who writes; what is said to a model has the colour of that. */
const SOURCE_OF: Record<Author['type'], Presentation['source']> = {
  person: 'user',
  agent: 'agent',
  applet: 'applet',
  scheduler: 'scheduler',
  tool: 'tool',
  host: 'host',
  system: 'system',
};

/** The form of a message; `state` is left to the style sheet, which reads it from the article. */
export function presentationOf(message: Pick<Message, 'from' | 'kind' | 'removed_at' | 'question'>): Presentation {
  const name = nameOf(message.from.type, message.kind);
  const look = LOOKS[name];
  const isRemoved = Boolean(message.removed_at);
  // What a tool printed is gone: nothing is left to unfold.
  const bare = isRemoved && look.layout === 'tool' ? 'note' : look.layout;
  const layout = message.question && !isRemoved ? 'question' : bare;
  const side = layout === 'note' ? 'centre' : layout === 'question' ? 'start' : look.side;
  const source = SOURCE_OF[message.from.type];
  return { ...look, layout, side, name, source, className: `${name}-message`, isRemoved };
}

/** The hub and tools have a look of their own, whatever kind they write. */
function nameOf(author: Author['type'], kind: Message['kind']): PresentationName {
  if (author === 'host' || author === 'system' || author === 'tool') return author;
  switch (kind) {
    case 'host':
    case 'system':
    case 'assistant':
      return kind;
    case 'tool_result':
      return 'tool';
    case 'user':
      return SOURCE_OF[author];
  }
}

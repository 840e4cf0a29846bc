/**
 * Decides how a message is presented, from its fields alone. The text never decides: a typed `[scheduler:x]` is just
 * text, and a message looks the same live and after a reload.
 */
import type { Author, Message } from '../api/model';

/** Decides the colour, or the look of system messages and tools. */
export type PresentationName = 'user' | 'applet' | 'agent' | 'scheduler' | 'assistant' | 'tool' | 'system' | 'host';

export interface Presentation {
  readonly name: PresentationName;
  /** `speech` is a bubble, `question` a card, `tool` a collapsed row, `note` centred text. */
  readonly layout: 'speech' | 'question' | 'tool' | 'note';
  readonly side: 'start' | 'end' | 'centre';
  /** The source shown to people: person, agent, applet, scheduler, or the hub and its tools. */
  readonly source: Exclude<PresentationName, 'assistant'>;
  /** The class for style sheets of others. */
  readonly className: string;
  /** Label of the source beside the name. */
  readonly chip?: string;
  readonly avatar: 'person' | 'agent' | 'applet' | 'scheduler' | 'assistant';
  /** The message keeps its place without its text. */
  readonly isRemoved: boolean;
}

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

const SOURCE_OF: Record<Author['type'], Presentation['source']> = {
  person: 'user',
  agent: 'agent',
  applet: 'applet',
  scheduler: 'scheduler',
  tool: 'tool',
  host: 'host',
  system: 'system',
};

/** Returns the presentation of a message; the style sheet reads `state` from the article. */
export function presentationOf(message: Pick<Message, 'from' | 'kind' | 'removed_at' | 'question'>): Presentation {
  const name = nameOf(message.from.type, message.kind);
  const look = LOOKS[name];
  const isRemoved = Boolean(message.removed_at);
  // The output of a removed tool message is gone: there is nothing to expand.
  const bare = isRemoved && look.layout === 'tool' ? 'note' : look.layout;
  const layout = message.question && !isRemoved ? 'question' : bare;
  const side = layout === 'note' ? 'centre' : layout === 'question' ? 'start' : look.side;
  const source = SOURCE_OF[message.from.type];
  return { ...look, layout, side, name, source, className: `${name}-message`, isRemoved };
}

/** The hub and tools have their own look, whatever kind they write. */
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

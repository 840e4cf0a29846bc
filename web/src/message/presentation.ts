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
  /** `end` only for the reader's own messages: everybody else is on the other side. */
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

type SourcePresentation = Pick<Presentation, 'layout' | 'avatar' | 'chip'>;

const PRESENTATIONS: Record<PresentationName, SourcePresentation> = {
  user: { layout: 'speech', avatar: 'person' },
  applet: { layout: 'speech', avatar: 'applet', chip: 'applet' },
  agent: { layout: 'speech', avatar: 'agent', chip: 'agent to agent' },
  scheduler: { layout: 'speech', avatar: 'scheduler', chip: 'schedule' },
  assistant: { layout: 'speech', avatar: 'assistant' },
  tool: { layout: 'tool', avatar: 'assistant' },
  system: { layout: 'note', avatar: 'assistant' },
  host: { layout: 'note', avatar: 'assistant' },
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
export function presentationOf(
  message: Pick<Message, 'from' | 'kind' | 'removed_at' | 'question'>,
  reader: string | undefined,
): Presentation {
  const name = nameOf(message.from.type, message.kind);
  const look = PRESENTATIONS[name];
  const isRemoved = Boolean(message.removed_at);
  // The output of a removed tool message is gone: there is nothing to expand.
  const bare = isRemoved && look.layout === 'tool' ? 'note' : look.layout;
  const layout = message.question && !isRemoved ? 'question' : bare;
  const isMine = name === 'user' && reader !== undefined && message.from.id === reader;
  const side = layout === 'note' ? 'centre' : layout === 'speech' && isMine ? 'end' : 'start';
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

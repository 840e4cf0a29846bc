/** Who is busy in a conversation, in words. Pure. */

/** "Mara is typing", "Mara and Tobias are typing", "3 people are typing"; nothing when nobody is. */
export function typingText(names: readonly string[]): string {
  const [first, second, ...more] = names;
  if (first === undefined) return '';
  if (second === undefined) return `${first} is typing`;
  return more.length === 0 ? `${first} and ${second} are typing` : `${names.length} people are typing`;
}

export function answeringText(name: string): string {
  return `${name} is answering`;
}

/** How an answer ended, for those who cannot see it. */
export function endingText(name: string, state: string | undefined): string {
  switch (state) {
    case 'failed':
      return `${name} could not answer`;
    case 'cancelled':
      return `The answer of ${name} was stopped`;
    case 'interrupted':
      return `The answer of ${name} was interrupted`;
    default:
      return `${name} answered`;
  }
}

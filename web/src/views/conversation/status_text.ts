/** Texts about who is typing or answering. Pure. */

/** Returns "Mara is typing", "Mara and Tobias are typing", "3 people are typing"; empty when nobody is. */
export function typingText(names: readonly string[]): string {
  const [first, second, ...more] = names;
  if (first === undefined) return '';
  if (second === undefined) return `${first} is typing`;
  return more.length === 0 ? `${first} and ${second} are typing` : `${names.length} people are typing`;
}

export function answeringText(name: string): string {
  return `${name} is answering`;
}

/** Returns how an answer ended, for screen readers. */
export function endingText(name: string, state: string | undefined): string {
  switch (state) {
    case 'failed':
      return `${name} could not answer`;
    case 'cancelled':
      return `${name}'s answer was stopped`;
    case 'interrupted':
      return `${name}'s answer was interrupted`;
    default:
      return `${name} answered`;
  }
}

/** The emoji of the picker with their search words. */

export interface Emoji {
  readonly sign: string;
  /** The first word is the name. */
  readonly words: string;
}

/** Quick reactions on every message. */
export const QUICK_REACTIONS: readonly Emoji[] = [
  { sign: '👍', words: 'thumbs up' },
  { sign: '✅', words: 'done' },
  { sign: '👀', words: 'looking' },
];

/** In the order of the picker. */
const KEYWORDS: Record<string, string> = {
  '👍': 'thumbs up yes good agree',
  '👎': 'thumbs down no bad disagree',
  '✅': 'done check yes ready',
  '❌': 'cross no wrong stop',
  '👀': 'looking eyes watch see',
  '🙏': 'thanks please pray',
  '❤️': 'heart love',
  '🎉': 'party celebrate hooray',
  '🚀': 'rocket ship launch fast',
  '🔥': 'fire hot great',
  '💯': 'hundred perfect',
  '👏': 'clap applause bravo',
  '🙌': 'raised hands hooray',
  '💪': 'strong muscle',
  '🤝': 'handshake deal agree',
  '👋': 'wave hello bye',
  '🫡': 'salute understood',
  '👌': 'ok fine',
  '🤞': 'fingers crossed luck hope',
  '😀': 'grin smile happy',
  '😂': 'laugh tears joy',
  '😅': 'sweat phew relief',
  '😊': 'smile blush happy',
  '😍': 'love eyes',
  '😎': 'cool sunglasses',
  '🤔': 'thinking hmm wonder',
  '😮': 'surprised wow',
  '😢': 'sad cry',
  '😡': 'angry mad',
  '🤯': 'mind blown',
  '🙈': 'monkey oops hide',
  '💡': 'idea bulb light',
  '🐛': 'bug',
  '🔧': 'tool wrench fix',
  '🧪': 'test experiment',
  '📌': 'pin important',
  '⚠️': 'warning careful',
  '❓': 'question',
  '⏳': 'waiting hourglass time',
  '☕': 'coffee break',
};

export const EMOJI: readonly Emoji[] = Object.entries(KEYWORDS).map(([sign, words]) => ({ sign, words }));

/** Returns emoji for which every word of the query is the start of one of their words. */
export function findEmoji(query: string): readonly Emoji[] {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (emoji: Emoji) => {
    const words = emoji.words.split(' ');
    return wanted.every((start) => words.some((word) => word.startsWith(start)) || emoji.sign === start);
  };
  return EMOJI.filter(fits);
}

/** Returns the name of an emoji, for titles and screen readers. */
export function emojiName(sign: string): string {
  return (KEYWORDS[sign] ?? sign)
    .split(' ')
    .slice(0, sign === '👍' || sign === '👎' ? 2 : 1)
    .join(' ');
}

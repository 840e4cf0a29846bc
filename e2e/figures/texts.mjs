/** Generated texts of known size, the same in every run. */

const WORDS =
  'the hub keeps every event in its log and tells each reader what it missed so a page that was away for an hour shows what happened in order once and without a gap'.split(
    ' ',
  );

/** Returns `length` characters of words, starting at a word chosen by `seed`. */
export function prose(length, seed = 0) {
  let text = '';
  for (let index = seed; text.length < length; index += 1) text += `${WORDS[(index * 7 + seed) % WORDS.length]} `;
  return text.slice(0, length).trim();
}

const CODE = ['fn next(&self) -> Option<u64> {', '    self.log.first().map(|event| event.offset)', '}'].join('\n');

/** A typical message: mostly short, sometimes a list, a table or code. */
export function mixedMessage(index) {
  const forms = [
    () => prose(40 + (index % 90), index),
    () => prose(160 + (index % 200), index),
    () => `${prose(60, index)}\n\n- ${prose(30, index)}\n- **${prose(20, index + 1)}**\n- ${prose(40, index + 2)}`,
    () => `${prose(50, index)} \`${WORDS[index % WORDS.length]}\` and *${prose(20, index)}*.`,
    () => `${prose(40, index)}\n\n\`\`\`rust\n${CODE}\n\`\`\``,
    () => `| part | state |\n|---|---|\n| ${prose(12, index)} | ok |\n| ${prose(12, index + 3)} | late |`,
  ];
  return `${index + 1}. ${forms[[0, 0, 1, 0, 2, 0, 3, 1, 4, 0, 5][index % 11]]()}`;
}

export function answer(length) {
  let text = '';
  for (let index = 0; text.length < length; index += 1) text += `${mixedMessage(index).replace(/^\d+\. /, '')}\n\n`;
  return text.slice(0, length);
}

/** Long blocks of one kind, the worst that an answer can be made of. */
export const LONG = {
  list: (length) => repeat(length, (index) => `- ${prose(50, index)}\n`),
  table: (length) =>
    `| one | two | three |\n|---|---|---|\n${repeat(length - 60, (index) => `| ${index} | ${prose(30, index)} | **${prose(9, index)}** |\n`)}`,
  code: (length) =>
    `\`\`\`rust\n${repeat(length - 20, (index) => `let v${index} = "${prose(30, index)}"; // ${index}\n`)}\`\`\`\n`,
};

function repeat(length, line) {
  let text = '';
  for (let index = 0; text.length < length - 120; index += 1) text += line(index);
  return text;
}

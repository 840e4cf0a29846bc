/** Reads files from the clipboard and from drops. */

/** Returns the files of a paste; none when the text is meant, as when a table comes with its image. */
export function filesOfPaste(data: DataTransfer): File[] {
  const files = [...data.files];
  const text = data.getData('text/plain').trim();
  // Files copied in a file manager come with their names as text.
  const isNames = files.length > 0 && text.split('\n').every((line) => files.some((file) => line.endsWith(file.name)));
  return text === '' || isNames ? files : [];
}

export function hasFiles(data: DataTransfer | null): boolean {
  return data?.types.includes('Files') ?? false;
}

export function textAsFile(text: string): File {
  return new File([text], 'pasted.txt', { type: 'text/plain' });
}

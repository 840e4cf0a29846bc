/** What is taken from a paste or a drop. */

/** Files to attach from a paste; none when its text is meant, as when words come with their picture. */
export function filesOfPaste(data: DataTransfer): File[] {
  const files = [...data.files];
  const text = data.getData('text/plain').trim();
  // Copied in a file manager, files bring their names along.
  const isNames = files.length > 0 && text.split('\n').every((line) => files.some((file) => line.endsWith(file.name)));
  return text === '' || isNames ? files : [];
}

export function hasFiles(data: DataTransfer | null): boolean {
  return data?.types.includes('Files') ?? false;
}

/** A text as a file to attach. */
export function textAsFile(text: string): File {
  return new File([text], 'pasted.txt', { type: 'text/plain' });
}

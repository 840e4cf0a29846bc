/** A text without its marks, on one line, for places that show no more than that. */
export function plainText(markdown: string): string {
  return markdown
    .replace(/[*_`~#>]+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

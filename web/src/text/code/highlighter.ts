/** Converts code to coloured runs with highlight.js. No HTML is created. */
import type { Emitter, LanguageFn } from 'highlight.js';
import core from 'highlight.js/lib/core';

export type Colour = 'comment' | 'keyword' | 'string' | 'number' | 'name';

export interface ColouredRun {
  readonly text: string;
  readonly colour: Colour | undefined;
}

const COLOURS: ReadonlyMap<string, Colour> = new Map([
  ...each('comment', 'comment', 'quote', 'doctag'),
  ...each('keyword', 'keyword', 'literal', 'selector-tag', 'meta', 'operator', 'template-tag', 'bullet'),
  ...each('string', 'string', 'regexp', 'addition', 'char', 'code', 'link', 'selector-attr'),
  ...each('number', 'number', 'symbol', 'deletion', 'template-variable'),
  ...each('name', 'title', 'name', 'type', 'built_in', 'section', 'class', 'function', 'attr', 'attribute'),
  ...each('name', 'selector-class', 'selector-id'),
]);

function each(colour: Colour, ...scopes: string[]): [string, Colour][] {
  return scopes.map((scope) => [scope, colour]);
}

/** Collects runs instead of HTML. */
class ColouredRunEmitter implements Emitter {
  readonly runs: ColouredRun[] = [];
  readonly #scopes: string[] = [];

  addText(text: string): void {
    const colour = this.#colour();
    const last = this.runs.at(-1);
    if (last && last.colour === colour) this.runs.splice(-1, 1, { text: last.text + text, colour });
    else if (text !== '') this.runs.push({ text, colour });
  }

  openNode(scope: string): void {
    this.#scopes.push(scope);
  }

  closeNode(): void {
    this.#scopes.pop();
  }

  startScope = (scope: string) => this.openNode(scope);
  endScope = () => this.closeNode();

  __addSublanguage(other: ColouredRunEmitter): void {
    this.runs.push(...other.runs);
  }

  finalize(): void {}
  closeAllNodes(): void {}

  toHTML(): string {
    return '';
  }

  /** Returns the innermost scope with a colour; `title.function` is a title. */
  #colour(): Colour | undefined {
    const known = this.#scopes.findLast((scope) => COLOURS.has(scope.split('.', 1)[0] ?? ''));
    return known === undefined ? undefined : COLOURS.get(known.split('.', 1)[0] ?? '');
  }
}

const highlighter = core.newInstance();
highlighter.configure({ __emitter: ColouredRunEmitter });

/** Registers a language once. */
export function registerLanguage(name: string, language: LanguageFn): void {
  if (!highlighter.getLanguage(name)) highlighter.registerLanguage(name, language);
}

/** Returns the runs of a code; joined, they equal the code. */
export function runsOf(code: string, language: string): readonly ColouredRun[] {
  const { _emitter: emitter } = highlighter.highlight(code, { language, ignoreIllegals: true });
  return emitter instanceof ColouredRunEmitter ? emitter.runs : [];
}

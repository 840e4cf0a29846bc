/** Supported languages by all their names. Each is loaded with its first code block. */
import type { LanguageFn } from 'highlight.js';

type LanguageLoader = () => Promise<{ default: LanguageFn }>;

interface LanguageEntry {
  /** The first name is the one of highlight.js. */
  readonly names: readonly [string, ...string[]];
  readonly load: LanguageLoader;
}

const LANGUAGES: readonly LanguageEntry[] = [
  { names: ['bash', 'sh', 'zsh', 'shell', 'console'], load: () => import('highlight.js/lib/languages/bash') },
  { names: ['c', 'h'], load: () => import('highlight.js/lib/languages/c') },
  { names: ['cpp', 'c++', 'cc', 'hpp', 'cxx'], load: () => import('highlight.js/lib/languages/cpp') },
  { names: ['csharp', 'cs', 'c#'], load: () => import('highlight.js/lib/languages/csharp') },
  { names: ['css'], load: () => import('highlight.js/lib/languages/css') },
  { names: ['diff', 'patch'], load: () => import('highlight.js/lib/languages/diff') },
  { names: ['dockerfile', 'docker'], load: () => import('highlight.js/lib/languages/dockerfile') },
  { names: ['go', 'golang'], load: () => import('highlight.js/lib/languages/go') },
  { names: ['graphql', 'gql'], load: () => import('highlight.js/lib/languages/graphql') },
  { names: ['ini', 'toml', 'conf'], load: () => import('highlight.js/lib/languages/ini') },
  { names: ['java'], load: () => import('highlight.js/lib/languages/java') },
  { names: ['javascript', 'js', 'jsx', 'mjs', 'cjs'], load: () => import('highlight.js/lib/languages/javascript') },
  { names: ['json', 'jsonc', 'json5'], load: () => import('highlight.js/lib/languages/json') },
  { names: ['kotlin', 'kt'], load: () => import('highlight.js/lib/languages/kotlin') },
  { names: ['lua'], load: () => import('highlight.js/lib/languages/lua') },
  { names: ['makefile', 'make', 'mk'], load: () => import('highlight.js/lib/languages/makefile') },
  { names: ['markdown', 'md'], load: () => import('highlight.js/lib/languages/markdown') },
  { names: ['php'], load: () => import('highlight.js/lib/languages/php') },
  { names: ['powershell', 'ps1', 'pwsh'], load: () => import('highlight.js/lib/languages/powershell') },
  { names: ['protobuf', 'proto'], load: () => import('highlight.js/lib/languages/protobuf') },
  { names: ['python', 'py'], load: () => import('highlight.js/lib/languages/python') },
  { names: ['ruby', 'rb'], load: () => import('highlight.js/lib/languages/ruby') },
  { names: ['rust', 'rs'], load: () => import('highlight.js/lib/languages/rust') },
  { names: ['scss'], load: () => import('highlight.js/lib/languages/scss') },
  { names: ['sql'], load: () => import('highlight.js/lib/languages/sql') },
  { names: ['swift'], load: () => import('highlight.js/lib/languages/swift') },
  { names: ['typescript', 'ts', 'tsx'], load: () => import('highlight.js/lib/languages/typescript') },
  { names: ['xml', 'html', 'svg', 'vue', 'xhtml'], load: () => import('highlight.js/lib/languages/xml') },
  { names: ['yaml', 'yml'], load: () => import('highlight.js/lib/languages/yaml') },
];

const byName = new Map(LANGUAGES.flatMap((one) => one.names.map((name) => [name, one] as const)));

export function findLanguage(name: string): { readonly name: string; readonly load: LanguageLoader } | undefined {
  const known = byName.get(name.toLowerCase());
  return known && { name: known.names[0], load: known.load };
}

/**
 * Draws one Mermaid diagram in a frame of its own. The frame is sandboxed: it has no origin, no network, no storage, and
 * speaks with its page only in the words of `text/diagram_words.ts`.
 */
import mermaid from 'mermaid';
import { type Draw, type FrameMessage, readDraw, SOURCE_CHARS_MAX, sealed } from '../src/text/diagram/diagram_protocol';

/** Settings that a diagram may not change about itself: they reach further than its own look. */
const SECURE = [
  'secure',
  'securityLevel',
  'startOnLoad',
  'maxTextSize',
  'maxEdges',
  'suppressErrorRendering',
  'dompurifyConfig',
  'fontFamily',
  'altFontFamily',
  'themeCSS',
  'themeVariables',
  'htmlLabels',
];
/** Pictures from elsewhere: the policy of the frame blocks them, so it is said instead. */
const FETCHES = /url\(\s*['"]?(?!#)|@import|\bimg\s*:/i;

/**
 * What begins like a tag, or would after decoding: the library writes some labels as HTML for a moment. The policy would
 * stop whatever that brought; like this there is nothing to stop. `<br>` breaks a line, `<<` names a stereotype, and
 * arrows have no letter behind their `<`.
 */
const TAG = /(?<!<)<(?!br\s*\/?>)(?=[a-z/!?])|[#&](?:lt|#?0*60|#?x0*3c);/gi;
const TAG_SHOWN = '‹';
/** Menus of links on the actors of a sequence: they are made of inline handlers, which never run here. */
const MENU = /^[ \t]*links?[ \t]+[^\n:>-]+:.*$/gim;

const STYLE = `
  body { margin: 0; background: transparent; }
  main { display: flow-root; overflow-x: auto; }
  svg { display: block; height: auto; margin: 0 auto; }
`;

const sheet = new CSSStyleSheet();
sheet.replaceSync(STYLE);
document.adoptedStyleSheets = [sheet];
const place = document.createElement('main');
document.body.append(place);
let drawings = 0;
/** Drawings happen one after the other; only the newest wish is answered. */
let queue = Promise.resolve();

addEventListener('message', ({ source, data }) => {
  const wish = source === window.parent ? readDraw(data) : undefined;
  if (wish) queue = queue.then(() => draw(wish)).catch((error) => tell({ type: 'failed', reason: reasonOf(error) }));
});
new ResizeObserver(tellHeight).observe(place);
tell({ type: 'ready' });

async function draw({ source, theme }: Draw): Promise<void> {
  if (FETCHES.test(source)) throw new Error('it asks for pictures from elsewhere');
  document.documentElement.style.colorScheme = theme;
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    secure: SECURE,
    suppressErrorRendering: true,
    // Labels are drawn as text: what looks like HTML in them stays what it is.
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    theme: theme === 'dark' ? 'dark' : 'default',
    maxTextSize: SOURCE_CHARS_MAX,
    fontFamily: 'Inter, ui-sans-serif, system-ui, sans-serif',
  });
  drawings += 1;
  const drawable = source.replace(TAG, TAG_SHOWN).replace(MENU, '');
  const { svg } = await mermaid.render(`diagram-${drawings}`, drawable);
  const drawn = new DOMParser().parseFromString(svg, 'text/html').body.firstElementChild;
  if (!drawn) throw new Error('there is nothing to see in it');
  place.replaceChildren(drawn);
  tellHeight();
}

function tellHeight(): void {
  const { height } = place.getBoundingClientRect();
  if (place.firstElementChild && height > 0) tell({ type: 'drawn', height });
}

/** The page has one address for all its words; it checks which frame they come from. */
function tell(word: FrameMessage): void {
  window.parent.postMessage(sealed(word), '*');
}

/** The place of the fault; what could have stood there instead is a list that helps nobody. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n').slice(0, 2).join(' ');
}

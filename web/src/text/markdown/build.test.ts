import { expect, it } from 'vitest';
import { TextView } from '../stream/text_view';

const look = {
  mention: (name: string) =>
    name === 'Coder' || name === 'Mara' ? { id: name, isReader: name === 'Mara' } : undefined,
};

function htmlOf(markdown: string): string {
  const root = document.createElement('div');
  new TextView(root, look, () => {}).finish(markdown);
  return root.innerHTML;
}

/** Checks the HTML of a text. */
function check(markdown: string, html: string): void {
  expect(htmlOf(markdown)).toBe(html);
}

const outward = 'target="_blank" rel="noopener noreferrer nofollow"';

it('shows marks of emphasis and code', () => {
  check('**b** *e* ~~d~~ `<c>`', '<p><strong>b</strong> <em>e</em> <del>d</del> <code>&lt;c&gt;</code></p>');
});

it('keeps line breaks', () => {
  check('a\nb<br>c', '<p>a<br>b<br>c</p>');
});

it('shows HTML as text', () => {
  check('<b onclick=x>hi</b>', '<p>&lt;b onclick=x&gt;hi&lt;/b&gt;</p>');
  check('<script>alert(1)</script>', '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>');
  check('<br class=x>', '<p>&lt;br class=x&gt;</p>');
});

it('decodes entities once, as text', () => {
  check('&lt;b&gt; &amp;lt; &#x3c; &constructor;', '<p>&lt;b&gt; &amp;lt; &lt; &amp;constructor;</p>');
});

it('opens links to the web in a new tab', () => {
  check('[t](https://example.org/a "x")', `<p><a href="https://example.org/a" ${outward}>t</a></p>`);
  check('<https://example.org>', `<p><a href="https://example.org/" ${outward}>https://example.org</a></p>`);
  check(
    '(see https://example.org/a_(b)).',
    `<p>(see <a href="https://example.org/a_(b)" ${outward}>https://example.org/a_(b)</a>).</p>`,
  );
});

it('leaves only the words of other links', () => {
  for (const address of [
    'javascript:x',
    'JaVaScript:x',
    'java&#115;cript:x',
    'data:text/html,x',
    '//x.example',
    '/sign-out',
    '#x',
    'ftp://x',
  ]) {
    check(`[words](${address})`, '<p>words</p>');
  }
  check('[words][constructor] [`__proto__`]', '<p>[words][constructor] [<code>__proto__</code>]</p>');
});

it('shows pictures of the hub, and links to others', () => {
  check(
    '![a dot](/artifacts/art_1/content)',
    '<p><button class="open-image" type="button" aria-label="Open image: a dot">' +
      '<img class="text-image" alt="a dot" loading="lazy" decoding="async" src="/artifacts/art_1/content"></button></p>',
  );
  check('![a dot](https://example.org/x.png)', `<p><a href="https://example.org/x.png" ${outward}>a dot</a></p>`);
  check('![a dot](/artifacts/../x)', '<p>a dot</p>');
  check('![a dot](data:image/svg+xml,x)', '<p>a dot</p>');
});

it('has no button in a link', () => {
  check(
    '[![p](/artifacts/art_1/content)](https://example.org)',
    `<p><a href="https://example.org/" ${outward}>` +
      '<img class="text-image" alt="p" loading="lazy" decoding="async" src="/artifacts/art_1/content"></a></p>',
  );
});

it('marks mentions of members, but not in code or links', () => {
  check('@Coder and @Nobody', '<p><strong class="mention" data-member="Coder">@Coder</strong> and @Nobody</p>');
  check('@Mara!', '<p><strong class="mention" data-member="Mara" data-reader="">@Mara</strong>!</p>');
  check(
    '`@Coder` [@Coder](https://example.org) \\@Coder',
    `<p><code>@Coder</code> <a href="https://example.org/" ${outward}>@Coder</a> @Coder</p>`,
  );
});

it('never skips a level of headings, and keeps the typed depth for the look', () => {
  check('### a\n\n# b\n\n###### c', '<h2 data-depth="3">a</h2><h2 data-depth="1">b</h2><h3 data-depth="6">c</h3>');
});

it('labels tasks', () => {
  check(
    '- [x] **done**\n- [ ] open',
    '<ul dir="auto"><li class="task-item"><label class="task"><input type="checkbox" disabled="" checked=""><span><strong>done</strong></span></label></li>' +
      '<li class="task-item"><label class="task"><input type="checkbox" disabled=""><span>open</span></label></li></ul>',
  );
});

it('marks only tasks as tasks, so that other items of the list keep their bullets', () => {
  const root = document.createElement('div');
  new TextView(root, look, () => {}).finish('- [ ] open\n- plain');
  expect([...root.querySelectorAll('li')].map((item) => item.className)).toEqual(['task-item', '']);
});

it('lets the text decide the direction of lists, quotes and tables', () => {
  const root = document.createElement('div');
  new TextView(root, look, () => {}).finish('- אחד\n\n1. שתיים\n\n> שלוש\n\n|א|\n|-|\n|ב|');
  expect([...root.querySelectorAll('[dir=auto]')].map((one) => one.tagName)).toEqual([
    'UL',
    'OL',
    'BLOCKQUOTE',
    'TABLE',
  ]);
});

it('numbers lists as they were typed', () => {
  check('3. a\n4. b', '<ol dir="auto" start="3"><li>a</li><li>b</li></ol>');
});

it('makes tables and code scrollable by keyboard', () => {
  check(
    '|a||\n|-|-:|\n|1|2|',
    '<div class="table-scroll" tabindex="0" role="group" aria-label="Table with 2 columns"><table dir="auto"><thead><tr><th scope="col">a</th>' +
      '<td data-align="right"></td></tr></thead><tbody><tr><td>1</td><td data-align="right">2</td></tr></tbody></table></div>',
  );
  check(
    '```rs {x}\nfn\n```',
    '<div class="code-card" data-language="rs"><div class="code-head"><span class="code-language">rs</span>' +
      '<button class="code-copy" type="button">Copy</button></div><pre tabindex="0" role="group" aria-label="Code, rs"><code>fn</code></pre></div>',
  );
});

it('continues a long table in further bodies of the same table', () => {
  const rows = Array.from({ length: 400 }, (_, i) => `| ${i} | ${i} |\n`).join('');
  const root = document.createElement('div');
  new TextView(root, look, () => {}).finish(`| a | b |\n|---|---|\n${rows}`);
  expect(root.querySelectorAll('table')).toHaveLength(1);
  expect(root.querySelectorAll('tbody').length).toBeGreaterThan(1);
  expect(root.querySelectorAll('tbody > tr')).toHaveLength(400);
});

it('adds break opportunities to very long words, without changing the text', () => {
  const root = document.createElement('div');
  new TextView(root, look, () => {}).finish(`short ${'ab'.repeat(500)} end ${'漢'.repeat(500)}`);
  expect(root.querySelectorAll('wbr')).toHaveLength(4);
  expect(root.textContent).toBe(`short ${'ab'.repeat(500)} end ${'漢'.repeat(500)}`);
});

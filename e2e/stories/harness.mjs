/** The instruments themselves: each must be able to say no, or what it says of other stories means nothing. */
import assert from 'node:assert/strict';
import { axeFindings } from '../harness/axe.mjs';
import { story } from '../harness/story.mjs';
import { SENTINEL } from '../harness/trap.mjs';

story(
  'The trap springs for everything it is set for',
  { expected: [/evil\.example/] },
  async ({ open, page, trap }) => {
    await open();
    await page.evaluate(async (sentinel) => {
      await window[sentinel]('of a story');
      alert('of a story');
      window.open('about:blank').close();
      await fetch('https://evil.example/').catch(() => undefined);
      const image = document.createElement('img');
      image.src = 'https://evil.example/pixel.png';
      image.setAttribute('onerror', `${sentinel}('from an attribute')`);
      document.body.append(image);
      await new Promise((resolve) => image.addEventListener('error', resolve));
      image.remove();
    }, SENTINEL);
    const sprung = trap.sprung().join('\n');
    for (const what of [
      'a script ran',
      'a dialog opened',
      'a window opened',
      'connect-src',
      'img-src',
      'script-src-attr',
    ]) {
      assert.match(sprung, new RegExp(what));
    }
    assert.doesNotMatch(sprung, /from an attribute/, 'the policy lets attributes run');
    trap.forget();
  },
);

story('The policy of the page allows no other source of HTML', {}, async ({ open, page, trap }) => {
  await open();
  const refused = await page.evaluate(() => {
    try {
      document.createElement('div').innerHTML = '<b>text</b>';
      return false;
    } catch {
      return true;
    }
  });
  assert.ok(refused, 'innerHTML took a string');
  assert.match(trap.sprung().join('\n'), /require-trusted-types-for/);
  trap.forget();
});

story('Axe sees a fault when there is one', {}, async ({ open, page, expectAccessible }) => {
  await open();
  await page.evaluate(() => document.querySelector('main').append(document.createElement('button')));
  const findings = await axeFindings(page);
  assert.match(findings.join('\n'), /button-name/);
  await assert.rejects(expectAccessible('a page with a nameless button'), /button-name/);
});

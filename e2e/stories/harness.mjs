/** Tests of the harness: each check must be able to fail. */
import assert from 'node:assert/strict';
import { axeFindings } from '../harness/axe.mjs';
import { story } from '../harness/story.mjs';
import { SENTINEL } from '../harness/trap.mjs';

story('The trap detects everything it is set for', { expected: [/evil\.example/] }, async ({ open, page, trap }) => {
  await open();
  await page.evaluate(async (sentinel) => {
    await window[sentinel]('of a story');
    alert('of a story');
    window.open('about:blank').close();
    await fetch('https://evil.example/').catch(() => undefined);
    const image = document.createElement('img');
    image.src = 'https://evil.example/pixel.png';
    await new Promise((resolve) => image.addEventListener('error', resolve));
  }, SENTINEL);
  for (const what of [/a script ran/, /a dialog opened/, /a window opened/, /connect-src/, /img-src/]) {
    await trap.until(what);
  }
  trap.forget();
});

story(
  'The policy of the page accepts no text as HTML or script',
  { expected: [/requires 'Trusted/] },
  async ({ open, page, trap }) => {
    await open();
    const taken = await page.evaluate(() => {
      const element = document.createElement('div');
      const sinks = {
        innerHTML: () => Object.assign(element, { innerHTML: '<b>text</b>' }),
        outerHTML: () => element.insertAdjacentHTML('beforeend', '<b>text</b>'),
        attribute: () => element.setAttribute('onclick', 'parlourTrap()'),
        script: () => Object.assign(document.createElement('script'), { textContent: 'parlourTrap()' }),
      };
      const isTaken = (sink) => {
        try {
          sink();
          return true;
        } catch {
          return false;
        }
      };
      return Object.keys(sinks).filter((name) => isTaken(sinks[name]));
    });
    assert.deepEqual(taken, []);
    await trap.until(/require-trusted-types-for/);
    trap.forget();
  },
);

story('Axe reports a fault when there is one', {}, async ({ open, page, expectAccessible }) => {
  await open();
  await page.evaluate(() => document.querySelector('main').append(document.createElement('button')));
  const findings = await axeFindings(page);
  assert.match(findings.join('\n'), /button-name/);
  await assert.rejects(expectAccessible('a page with a nameless button'), /button-name/);
});

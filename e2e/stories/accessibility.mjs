/** Accessibility of every view and state, in both themes and three widths. */
import { expectAccessibleInBothThemes } from '../harness/axe.mjs';
import { makeDemo } from '../harness/demo.mjs';
import { story } from '../harness/story.mjs';
import { VIEWS } from '../harness/views.mjs';

const WIDTHS = { wide: 1280, middle: 900, phone: 390 };
/** Shorter than the lease of a streaming answer. */
const BEAT_MS = 10_000;

let demo;

/** One project for all of these stories: they only look. */
function sharedDemo(people) {
  demo ??= makeDemo(people).then((made) => {
    setInterval(() => made.running.beat().catch(() => undefined), BEAT_MS).unref();
    return made;
  });
  return demo;
}

for (const [name, { signedIn = true, expected, show }] of Object.entries(VIEWS)) {
  const title = `Axe finds nothing: ${name}`;
  story(title, { signedIn, expected, minutes: 2 }, async ({ page, people }) => {
    const made = await sharedDemo(people);
    for (const [screen, width] of Object.entries(WIDTHS)) {
      await page.setViewportSize({ width, height: 900 });
      // Reloads, so that nothing stays open from another width.
      await page.goto('about:blank');
      await show({ page, demo: made, screen });
      await expectAccessibleInBothThemes(page, `${name}, ${screen}`);
    }
  });
}

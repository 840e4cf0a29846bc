/** The page loads from the hub under its policy without errors. */
import { story } from '../harness/story.mjs';

story('The page opens and requests no other host', { on: ['desktop', 'phone'] }, async ({ open, page }) => {
  await open();
  await page.locator('nav.sidebar, main.conversation').first().waitFor({ state: 'attached' });
});

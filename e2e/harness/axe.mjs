/** Accessibility checks with axe-core. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const SOURCE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const EVERYTHING = { type: 'tag', values: TAGS };
/** Rules whose result can differ between themes. */
const COLOURS = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };
/** Elements listed per finding. */
const NODES_SHOWN_MAX = 5;

/**
 * Returns the findings of axe as readable lines. The script is injected through the debugger, which the policy of the
 * page does not restrict, so the page is checked under its real policy.
 */
export async function axeFindings(page, runOnly = EVERYTHING) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(`${SOURCE};void 0`);
  const violations = await page.evaluate(async (wanted) => {
    const found = await window.axe.run(document, { runOnly: wanted, resultTypes: ['violations'] });
    return found.violations.map(({ id, impact, help, nodes }) => ({
      id,
      impact,
      help,
      nodes: nodes.map(({ target, failureSummary }) => `${target.join(' ')} — ${failureSummary.replace(/\s+/g, ' ')}`),
    }));
  }, runOnly);
  return violations.map(
    ({ id, impact, help, nodes }) =>
      `${id} (${impact}): ${help}\n` +
      nodes
        .slice(0, NODES_SHOWN_MAX)
        .map((node) => `      ${node}\n`)
        .join('') +
      (nodes.length > NODES_SHOWN_MAX ? `      and ${nodes.length - NODES_SHOWN_MAX} more\n` : ''),
  );
}

/** Fails with all findings. `what` names the state of the page. */
export async function expectAccessible(page, what = 'the page', rules = EVERYTHING) {
  const findings = await axeFindings(page, rules);
  if (findings.length === 0) return;
  throw new Error(`axe finds ${findings.length} faults in ${what}:\n    ${findings.join('    ')}`);
}

/** Checks everything in one theme, and theme-dependent rules in the other. */
export async function expectAccessibleInBothThemes(page, what) {
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page, `${what}, dark`);
  await page.emulateMedia({ colorScheme: 'light' });
  await expectAccessible(page, `${what}, light`, COLOURS);
}

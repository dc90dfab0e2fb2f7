import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface Axe {
  run(of: Document): Promise<{ violations: { id: string; nodes: { target: unknown; failureSummary?: string }[] }[] }>;
}

/** Everything that axe finds on the page, in light and in dark. Empty if all is well. */
export async function violations(page: Page): Promise<string[]> {
  const found: string[] = [];
  await page.evaluate(AXE);
  for (const colorScheme of ['light', 'dark'] as const) {
    // Without motion no colour is measured on its way to another one.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const ofScheme = await page.evaluate(async () => {
      const { violations: all } = await (window as unknown as { axe: Axe }).axe.run(document);
      return all.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary = '' }) => `${id} at ${String(target)}: ${failureSummary}`),
      );
    });
    found.push(...ofScheme.map((text) => `${colorScheme}: ${text}`));
  }
  return found;
}

/** Controls that are smaller than a finger (44 by 44 pixels), by their ids. A radio button is as large as the row that presses it. */
export const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('a, button, select, input, summary')]
      .map((target) => ({ target, row: target.closest('.way-head, .plan, .choice, .skip') ?? target }))
      .filter(({ target, row }) => target.checkVisibility() && !row.matches('.skip'))
      .filter(({ row }) => Math.min(row.getBoundingClientRect().height, row.getBoundingClientRect().width) < 43.5)
      .map(({ target }) => target.id || (target.textContent ?? '')),
  );

export const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

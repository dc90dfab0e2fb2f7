import type { Page } from 'playwright-core';

const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('data-testid'));

const described = (page: Page) =>
  page.evaluate(() => {
    const { tagName, id } = document.activeElement ?? document.body;
    const { status } = document.getElementById('status')?.dataset ?? {};
    return `${tagName}#${id}, while the status is ${status}`;
  });

/** Presses Tab until the element has the focus. The focus must be visible at every stop. */
export async function tabTo(page: Page, testId: string): Promise<void> {
  for (let step = 0; step < 60; step += 1) {
    await page.keyboard.press('Tab');
    const isSeen = await page.evaluate(() => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(document.activeElement ?? document.body);
      return (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none';
    });
    if (!isSeen) throw new Error(`the focus is not seen at ${await described(page)}`);
    if ((await focused(page)) === testId) return;
  }
  throw new Error(`no Tab leads to ${testId}`);
}

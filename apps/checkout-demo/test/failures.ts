import type { Shopper } from './shopper.js';

/** Whatever went wrong: nothing was paid, and paying in instalments still works on this very page. */
export async function paysOtherwise(shopper: Shopper): Promise<void> {
  await shopper.payIn('b3');
  await shopper.decide('validate');
  await shopper.until('succeeded');
}

export const formError = (shopper: Shopper) => shopper.page.getByTestId('form-error');

import type { Shopper } from './shopper.js';

/** After the failure nothing was paid, and the same page can still pay in instalments. */
export async function paysOtherwise(shopper: Shopper): Promise<void> {
  await shopper.payIn('b3');
  await shopper.decide('validate');
  await shopper.until('succeeded');
}

export const formError = (shopper: Shopper) => shopper.page.getByTestId('form-error');

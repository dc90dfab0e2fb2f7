import type { PaymentOptionA, PaymentOptionB, Rail } from '@tranche/contracts';

export interface PaymentMethod {
  id: string;
  rail: Rail;
  /** None for a card payment. */
  option?: PaymentOptionA | PaymentOptionB;
  instalments: number;
  /** Minor units, both included. */
  minAmount?: number;
  maxAmount?: number;
}

/** interface, Limits: method B takes orders between 150 and 2000 EUR. */
const METHOD_B = { rail: 'partner-b', minAmount: 15_000, maxAmount: 200_000 } as const;

export const METHODS = [
  { id: 'card', rail: 'card', instalments: 1 },
  { id: 'a3', rail: 'partner-a', option: 'partnerA-3xcb', instalments: 3 },
  { id: 'a4', rail: 'partner-a', option: 'partnerA-4xcb', instalments: 4 },
  { id: 'a4wallet', rail: 'partner-a', option: 'partnerA-4xwallet', instalments: 4 },
  { id: 'a1euro', rail: 'partner-a', option: 'partnerA-1euro', instalments: 1 },
  { id: 'b3', ...METHOD_B, option: 'partnerB-3xsansfrais', instalments: 3 },
  { id: 'b4', ...METHOD_B, option: 'partnerB-4xsansfrais', instalments: 4 },
] as const satisfies readonly PaymentMethod[];

export type MethodId = (typeof METHODS)[number]['id'];

export function methodOf(id: unknown): PaymentMethod | undefined {
  return METHODS.find((method) => method.id === id);
}

export function takesAmount({ minAmount = 1, maxAmount = Infinity }: PaymentMethod, amount: number): boolean {
  return amount >= minAmount && amount <= maxAmount;
}

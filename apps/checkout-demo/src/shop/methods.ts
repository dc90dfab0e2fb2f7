import {
  amountLimits,
  METHODS as METHOD_TABLE,
  optionRow,
  type Market,
  type PaymentOption,
  type Rail,
} from '@tranche/contracts';
import type { MethodId } from '../../page/texts.js';

export type { MethodId };

/** The buyer's costs, as far as the interface names them: none, a fee, or `unsaid`. The provider alone knows the amount of a fee. */
type Cost = 'none' | 'fee' | 'unsaid';

export interface PaymentMethod {
  id: string;
  rail: Rail;
  /** Absent for a card payment. */
  option?: PaymentOption;
  instalments: number;
  cost: Cost;
  /** Minor units, both inclusive. */
  minAmount?: number;
  maxAmount?: number;
}

/** The methods of this shop, by the ids of the page's texts. Of two with the same number of instalments the cheaper one is first. */
const OFFERED = {
  card: undefined,
  b3: 'partnerB-3xsansfrais',
  a3: 'partnerA-3xcb',
  b3fee: 'partnerB-3x',
  b4: 'partnerB-4xsansfrais',
  a4: 'partnerA-4xcb',
  a4wallet: 'partnerA-4xwallet',
  b4fee: 'partnerB-4x',
  a1euro: 'partnerA-1euro',
} as const satisfies Record<MethodId, PaymentOption | undefined>;

export const METHODS: readonly PaymentMethod[] = Object.entries(OFFERED).map(([id, option]) => offer(id, option));

export const methodsOf = (market: Market): readonly PaymentMethod[] =>
  METHODS.filter(({ option }) => option === undefined || optionRow(option).markets.includes(market));

function offer(id: string, option: PaymentOption | undefined): PaymentMethod {
  if (option === undefined) return { id, rail: METHOD_TABLE.card.rail, instalments: 1, cost: 'none' };
  const { method, instalments } = optionRow(option);
  const limits = amountLimits(method);
  const range = limits && { minAmount: limits.min, maxAmount: limits.max };
  return { id, rail: METHOD_TABLE[method].rail, option, instalments, cost: costOf(option), ...range };
}

function costOf(option: PaymentOption): Cost {
  if (option.endsWith('sansfrais')) return 'none';
  return option.startsWith('partnerB-') ? 'fee' : 'unsaid';
}

export function methodOf(id: unknown, market: Market): PaymentMethod | undefined {
  return methodsOf(market).find((method) => method.id === id);
}

export function takesAmount({ minAmount = 1, maxAmount = Infinity }: PaymentMethod, amount: number): boolean {
  return amount >= minAmount && amount <= maxAmount;
}

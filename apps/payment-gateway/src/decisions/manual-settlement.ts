import { SETTLEMENTS } from '@tranche/contracts';
import { compact, inOrder, standingOf, type OrderState, type Settled, type Unsettled } from '@tranche/order-journal';
import { Problem } from '@tranche/service-kit';
import { IsIn, IsString } from 'class-validator';
import { given, KeptText, PositiveAmount, Reason, TransactionId } from './manual-resolution.js';

const RESULTS = ['succeeded', 'refused', 'not_executed'] as const;

/** The end of a conflict, as an operator found it out. */
export class ManualSettlement {
  @IsIn(SETTLEMENTS)
  outcome: (typeof SETTLEMENTS)[number];

  /** Source of the operator's knowledge. */
  @Reason()
  reason: string;

  /** Optional: the key identifies the person. */
  @given('actor')
  @IsString()
  actor?: string;

  /** Result that stands, where reports differ about it. For `kept`. */
  @given('result')
  @IsIn(RESULTS)
  result?: (typeof RESULTS)[number];

  /** TRANSACTIONID of the success that stands, or of which money was given back. */
  @given('transactionId')
  @TransactionId()
  transactionId?: string;

  /** Minor units that were moved, or given back. */
  @given('amount')
  @PositiveAmount()
  amount?: number;

  /** TRANSACTIONID of the refund in the back office, or what else names where the money went. For `repaired`. */
  @given('reference')
  @KeptText(1, 100)
  reference?: string;
}

/** Stands for the second person while nobody has approved. */
export const NOBODY = '';

/** The settlement's journal record; the fold judges if it can count. `conflict`: id of the conflict in its order. */
export function settlementRecord(
  order: OrderState,
  {
    conflict,
    settlement,
    operator,
    nowMs,
  }: { conflict: string; settlement: ManualSettlement; operator: string; nowMs: number },
): Settled {
  const { outcome, reason, result, transactionId, amount, reference } = settlement;
  return compact({
    ...({ record: 'SETTLED', ...inOrder(order, new Date(nowMs).toISOString()), conflict, outcome } as const),
    ...(outcome === 'kept' ? { result } : { reference }),
    transactionId,
    amount,
    actor: operator,
    reason,
    approvedBy: NOBODY,
    seen: standingOf(order),
  });
}

const FIELDS: Partial<Record<Unsettled, string>> = {
  result: 'must be given: the result that stands, also where reports differ about the amount only',
  amount: 'must be given: how much was moved, or given back, in minor units',
  transactionId: 'must be given, and be one that was reported of it',
  reference: 'must be given, and name no other repair of the order',
};

/** Why the fold would not count it, or did not. */
export function notSettled(found: string | undefined): Problem {
  const message = FIELDS[found as Unsettled];
  if (message !== undefined)
    return new Problem({
      status: 422,
      code: 'settlement_contradictory',
      detail: 'What is said can not be true of this conflict, see faults.',
      faults: [{ path: found!, code: 'required', message }],
    });
  if (found === 'operation_not_ended')
    return new Problem({
      status: 409,
      code: 'operation_not_ended',
      detail: 'The operation has not ended. Resolve it first: its end may be what settles the conflict.',
    });
  const detail =
    'The order shows no such conflict: it was settled, or a further report made another one of it. Look at the list.';
  return new Problem({ status: 404, code: 'conflict_unknown', detail });
}

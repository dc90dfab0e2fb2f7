import {
  answered,
  asked,
  authorized,
  captured,
  expired,
  folded,
  lost,
  notExecuted,
  notified,
  notifiedElsewhere,
  operatorSays,
} from '../../test/order-story.js';
import { emptyOrder, type OrderState } from './order-state.js';
import { summaryOf } from './order-summary.js';
import type { JournalRecord } from './records.js';

const after = (...records: JournalRecord[]): OrderState => folded(records).order;
const amountsOf = (...records: JournalRecord[]) => summaryOf(after(...records)).amounts;
const statusOf = (...records: JournalRecord[]) => summaryOf(after(...records)).status;

const refund = (amount: number, name = 'refund'): JournalRecord[] => [
  asked(name, { amount }),
  answered(name, '0000', { amount }),
];
const office = (operation: string, execCode: string, amount?: number) =>
  notifiedElsewhere(operation, execCode, { transactionId: `T-office-${operation}`, ...(amount && { amount }) });
const paid = [asked('pay'), answered('pay', '0000')];
const form = [asked('authorize', { method: 'A' }), answered('authorize', '0002')];
const approval = [asked('authorize', { method: 'A' }), answered('authorize', '0003')];
const refused = [asked('authorize'), answered('authorize', '4001')];

describe('the sums of an order', () => {
  it('are of what succeeded, and what remains may still be refunded', () => {
    expect(amountsOf(...captured, ...refund(10_000))).toEqual({
      ...{ currency: 'EUR', authorized: 30_000, captured: 30_000, refunded: 10_000, remaining: 20_000 },
      assumed: [],
    });
    expect(amountsOf(...authorized)).toMatchObject({ authorized: 30_000, captured: 0, refunded: 0, remaining: 0 });
    expect(amountsOf(...paid)).toMatchObject({ authorized: 30_000, captured: 30_000, remaining: 30_000 });
    expect(amountsOf(...captured, asked('refund', { amount: 5 }), answered('refund', '4001'))).toMatchObject({
      ...{ refunded: 0, remaining: 30_000 },
    });
  });

  it('of an order without a command of ours have no currency', () => {
    expect(amountsOf(office('refund', '0000', 5))).toMatchObject({ currency: null, refunded: 5 });
  });

  it('hold what the back office did, and not what it was refused', () => {
    expect(amountsOf(...captured, office('refund', '0000', 4_000)).refunded).toBe(4_000);
    expect(amountsOf(...captured, office('refund', '4001', 4_000)).refunded).toBe(0);
  });

  it('hold no success that two people overruled', () => {
    const order = after(...captured, office('refund', '0000', 4_000));
    const external = order.external.map((one) => ({ ...one, isOverruled: true as const }));
    expect(summaryOf({ ...order, external }).amounts.refunded).toBe(0);
  });

  it('are never below nothing', () => {
    expect(amountsOf(...captured, office('refund', '0000', 40_000))).toMatchObject({ refunded: 40_000, remaining: 0 });
  });

  it('are not known where an amount is not', () => {
    expect(amountsOf(...captured, office('refund', '0000'))).toMatchObject({
      ...{ captured: 30_000, refunded: null, remaining: null },
    });
    expect(amountsOf(...captured, office('capture', '0000'), ...refund(10_000))).toMatchObject({
      ...{ authorized: 30_000, captured: null, refunded: 10_000, remaining: null },
    });
  });

  it('name those that rest on the default of the platform', () => {
    const all = [...authorized, asked('capture'), answered('capture', '0000')];
    expect(amountsOf(...all)).toMatchObject({ captured: 30_000, assumed: ['captured'] });
    expect(amountsOf(...all, asked('refund'), answered('refund', '0000')).assumed).toEqual(['captured', 'refunded']);
  });

  it('hold no authorization that was voided', () => {
    expect(amountsOf(...authorized, asked('void'), answered('void', '0000')).authorized).toBe(0);
    expect(amountsOf(...authorized, asked('void'), answered('void', '4001')).authorized).toBe(30_000);
  });

  it('hold money that was given back elsewhere, once, and only what was captured', () => {
    const order = after(...captured, office('refund', '0000', 4_000));
    const refundedWith = (transactionId: string, reference: string) =>
      summaryOf({ ...order, repairs: [{ transactionId, amount: 1_000, reference }] }).amounts.refunded;
    expect(refundedWith('T-capture', 'bank transfer 7')).toBe(5_000);
    expect(refundedWith('T-capture', 'T-office-refund')).toBe(4_000);
    expect(refundedWith('T-authorize', 'bank transfer 7')).toBe(4_000);
    const ofCard = { ...after(...paid), repairs: [{ transactionId: 'T-pay', amount: 1_000, reference: 'r' }] };
    expect(summaryOf(ofCard).amounts).toMatchObject({ refunded: 1_000, remaining: 29_000 });
  });
});

describe('the status of an order', () => {
  it.each<[string, JournalRecord[]]>([
    ['in_doubt', [asked('authorize'), lost('authorize')]],
    ['in_doubt', [...captured, asked('refund'), lost('refund'), asked('refund-2')]],
    ['in_progress', [asked('authorize')]],
    ['in_progress', [asked('authorize'), notExecuted('authorize')]],
    ['in_progress', [...captured, asked('refund')]],
    ['refunded', [...captured, ...refund(30_000)]],
    ['partly_refunded', [...captured, ...refund(10_000)]],
    ['partly_refunded', [...captured, office('refund', '0000')]],
    ['captured', captured],
    ['captured', paid],
    ['captured', [...authorized, office('capture', '0000')]],
    ['authorized', authorized],
    ['authorized', [office('authorize', '0000')]],
    ['redirect_required', form],
    ['pending', approval],
    ['voided', [...authorized, asked('void'), answered('void', '0000')]],
    ['voided', [...form, asked('void'), answered('void', '0000')]],
    ['redirect_required', [...form, asked('void'), answered('void', '4001')]],
    ['refused', refused],
    ['expired', [...approval, expired('authorize')]],
    ['not_executed', [asked('authorize'), lost('authorize'), operatorSays('authorize', 'not_executed')]],
    ['external', [office('refund', '4001', 5)]],
  ])('is %s', (status, records) => {
    expect(statusOf(...records)).toBe(status);
  });

  it('is that of the payment that came last, where none took money', () => {
    const second = [asked('authorize-2'), answered('authorize-2', '0003')];
    expect(statusOf(...refused, ...second)).toBe('pending');
    expect(statusOf(...refused, asked('authorize-2'), lost('authorize-2'), notified('authorize-2', '5001'))).toBe(
      'not_executed',
    );
    const [waits] = after(...form).operations;
    const pending = { ...waits!, commandId: 'authorize-2', phase: 'pending' as const };
    expect(summaryOf({ ...after(...form), operations: [waits!, pending] }).status).toBe('pending');
    expect(summaryOf({ ...after(...form), operations: [pending, waits!] }).status).toBe('redirect_required');
  });

  it('is that of a payment, whatever was refused behind it', () => {
    const order = after(...approval, expired('authorize'));
    const [payment] = order.operations;
    const denied = { ...payment!, commandId: 'void', operation: 'void' as const, end: 'refused' as const };
    expect(summaryOf({ ...order, operations: [payment!, denied] }).status).toBe('expired');
    const rejected = { ...denied, commandId: 'refund', operation: 'refund' as const, end: 'rejected' as const };
    expect(summaryOf({ ...order, operations: [denied, rejected] }).status).toBe('rejected');
    expect(summaryOf({ ...order, operations: [rejected, denied] }).status).toBe('refused');
  });

  it('is frozen where a record of it was skipped and nothing else is known', () => {
    expect(summaryOf({ ...emptyOrder('shop-fr', 'order-1'), isFrozen: true }).status).toBe('frozen');
    expect(summaryOf({ ...after(...authorized), isFrozen: true }).status).toBe('authorized');
  });
});

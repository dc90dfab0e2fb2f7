import type { OperationKind } from '@tranche/contracts';
import { compact } from '@tranche/order-journal';

/** An operation that the platform executed. */
export interface Executed {
  transactionId: string;
  operation: OperationKind;
  /** Minor units that were really moved. */
  amount: number;
  /** TRANSACTIONID of the operation that it follows. */
  of?: string;
  /** EXECCODE: 0000, or 0004 for a share. */
  execCode: string;
  /** Absent for the back office. */
  commandId?: string;
  extraData?: string;
}

export interface Request extends Pick<Executed, 'operation' | 'commandId' | 'extraData'> {
  of?: string | undefined;
  amount?: number | undefined;
  /** The platform moves this part of what was asked for: with `isStated` as a share (0004), else without a word. */
  part?: { share: number; isStated: boolean } | undefined;
}

/** The platform of one order, by the interface alone: it shares no code with the gateway. */
export class Ledger {
  readonly executed: Executed[] = [];

  /** Executes the request, or returns the EXECCODE that refuses it. */
  take({ amount: asked, part, ...request }: Request): Executed | string {
    const limit = this.#limit(request);
    if (typeof limit === 'string') return limit;
    const wanted = asked ?? limit;
    if (wanted > limit) return request.operation === 'refund' ? '2008' : '2007';
    const amount = part === undefined ? wanted : Math.max(1, Math.floor(wanted * part.share));
    const transactionId = `${request.commandId === undefined ? 9 : 1}0${this.executed.length + 1}`;
    const one: Executed = { ...compact(request), transactionId, amount, execCode: part?.isStated ? '0004' : '0000' };
    this.executed.push(one);
    return one;
  }

  /** The most that the operation may move, which is also its default (interface, Limits); or why it is refused. */
  #limit({ operation, of }: Pick<Request, 'operation' | 'of'>): number | string {
    if (operation === 'authorize' || operation === 'pay') return Number.MAX_SAFE_INTEGER;
    const source = this.executed.find(({ transactionId }) => transactionId === of);
    const takes =
      operation === 'void' ? ['authorize'] : operation === 'capture' ? ['authorize', 'pay'] : ['capture', 'pay'];
    if (source === undefined || !takes.includes(source.operation)) return REFUSALS[operation];
    if (operation === 'refund') {
      const remaining = this.#remaining(source);
      return remaining > 0 ? remaining : '2008';
    }
    const isTaken = this.executed.some((one) => one.of === of && one.operation !== 'refund');
    return isTaken ? REFUSALS[operation] : source.amount;
  }

  /** A capture of a card payment takes the money of that payment: their refunds share its limit (docs/decisions/0020). */
  #remaining(source: Executed): number {
    const payment = this.executed.find((one) => one.operation === 'pay' && one.transactionId === source.of) ?? source;
    const captures = this.executed.filter((one) => one.operation === 'capture' && one.of === payment.transactionId);
    const ofAll = payment.operation === 'pay' ? payment.amount - this.#refunded([payment, ...captures]) : source.amount;
    return Math.min(source.amount - this.#refunded([source]), ofAll);
  }

  #refunded(sources: readonly Executed[]): number {
    const ids = sources.map(({ transactionId }) => transactionId);
    const refunds = this.executed.filter(({ operation, of }) => operation === 'refund' && ids.includes(of ?? ''));
    return refunds.reduce((sum, { amount }) => sum + amount, 0);
  }
}

const REFUSALS = { capture: '2005', refund: '2004', void: '2015' } as const;

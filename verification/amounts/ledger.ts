import type { OperationKind } from '@tranche/contracts';

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

export interface Request extends Pick<Executed, 'operation' | 'of' | 'commandId' | 'extraData'> {
  amount?: number;
  /** The platform moves this part of what was asked for: with `isStated` as a share (0004), else without a word. */
  part?: { share: number; isStated: boolean };
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
    const transactionId = `${request.commandId === undefined ? 'H' : 'T'}${this.executed.length + 1}`;
    const one = { ...request, transactionId, amount, execCode: part?.isStated ? '0004' : '0000' };
    this.executed.push(one);
    return one;
  }

  of(commandId: string): Executed | undefined {
    return this.executed.find((one) => one.commandId === commandId);
  }

  /** The most that the operation may move, which is also its default (interface, Limits); or why it is refused. */
  #limit({ operation, of }: Pick<Request, 'operation' | 'of'>): number | string {
    if (operation === 'authorize' || operation === 'pay') return Number.MAX_SAFE_INTEGER;
    const source = this.executed.find(({ transactionId }) => transactionId === of);
    const after = this.executed.filter((one) => one.of === of);
    if (operation === 'refund') {
      if (source?.operation !== 'capture' && source?.operation !== 'pay') return '2004';
      const remaining = source.amount - after.reduce((sum, { amount }) => sum + amount, 0);
      return remaining > 0 ? remaining : '2008';
    }
    if (source?.operation !== 'authorize' || after.length > 0) return operation === 'capture' ? '2005' : '2015';
    return source.amount;
  }
}

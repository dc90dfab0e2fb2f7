import type { OperationKind } from '@tranche/contracts';
import type { Random } from '../simulation/random.js';
import type { Executed, Request } from './ledger.js';

export const AMOUNT = 30_000;
/** Sometimes no room for our tag is left in EXTRADATA. */
const UNTAGGED = 0.5;

/** One attempt of a command, and what the platform does with it. */
export interface Call {
  commandId: string;
  operation: OperationKind;
  method: 'A' | 'B' | 'card';
  amount: number | undefined;
  of: string | undefined;
  isTagged: boolean;
  isExecuted: boolean;
  isAnswerLost: boolean;
  part: Request['part'];
}

export type Step =
  | { step: 'call'; call: Call }
  /** The call before it is answered, or its answer is lost. */
  | { step: 'answer' }
  /** A capture or refund of the back office: without our EXTRADATA, and notified like any other. */
  | { step: 'byHand'; request: Request }
  /** Each notification that is under way arrives with this chance, in any order. */
  | { step: 'notifications'; chance: number }
  /** An operator reports, with this chance, what the platform's books show of an operation in doubt. */
  | { step: 'lookAtDoubts'; chance: number }
  | { step: 'snapshot' };

/** Each step is answered with what the platform has executed by then. */
type Steps = Generator<Step, void, readonly Executed[]>;

/** Draws what happens to one order. The fold alone and the real stack play the same steps. */
export function stepsOf(random: Random): Steps {
  return new Draw(random).steps();
}

/** A notification is sent once, twice or never. An amount that no answer names comes to light by it alone, so it `mustCome`. */
export const timesNotified = (random: Random, mustCome: boolean): 0 | 1 | 2 =>
  ({ never: 0, once: 1, twice: 2 })[random.weighted({ once: 8, twice: 1, never: mustCome ? 0 : 1 })] as 0 | 1 | 2;

class Draw {
  #commands = 0;
  readonly #method: Call['method'];

  constructor(private readonly random: Random) {
    this.#method = random.weighted({ card: 2, A: 5, B: 3 });
  }

  *steps(): Steps {
    const { random } = this;
    let executed = yield* this.#call({ operation: this.#method === 'card' ? 'pay' : 'authorize', amount: AMOUNT });
    for (let left = 2 + random.below(10); left > 0; left--) {
      executed = yield { step: 'notifications', chance: 0.4 };
      const isByHand = random.chance(0.3);
      const request = isByHand ? this.#byHand(executed) : this.#followUp(executed);
      if (request !== undefined) {
        if (isByHand) executed = yield { step: 'byHand', request };
        else executed = yield* this.#call(request);
      }
      if (random.chance(0.5)) yield { step: 'lookAtDoubts', chance: 0.7 };
      if (random.chance(0.05)) yield { step: 'snapshot' };
    }
    yield { step: 'notifications', chance: 1 };
    yield { step: 'lookAtDoubts', chance: 0.8 };
    // An answer to the last doubts may still be missing; a notification that comes twice changes nothing.
    yield { step: 'notifications', chance: 1 };
  }

  *#call({ operation, amount, of }: Request): Generator<Step, readonly Executed[], readonly Executed[]> {
    const { random } = this;
    const isTagged = operation !== 'pay' && !random.chance(UNTAGGED);
    const call = {
      ...{ commandId: `${operation}-${++this.#commands}`, operation, method: this.#method, amount, of, isTagged },
      isExecuted: random.chance(of === undefined ? 0.97 : 0.85),
      isAnswerLost: random.chance(0.25),
      part: this.#part(operation, amount, isTagged),
    };
    const executed = yield { step: 'call', call };
    const byHand = random.chance(0.3) ? this.#byHand(executed) : undefined;
    if (byHand !== undefined) yield { step: 'byHand', request: byHand };
    yield { step: 'notifications', chance: 0.3 };
    return yield { step: 'answer' };
  }

  #followUp(executed: readonly Executed[]): Request | undefined {
    const { random } = this;
    const isCaptured = executed.some(isRefundable);
    const operation = random.weighted({
      capture: isCaptured ? 1 : 6,
      refund: isCaptured ? 8 : 0,
      void: this.#method === 'A' ? 1 : 0,
    });
    const sources = executed.filter(operation === 'refund' ? isRefundable : isPayment);
    if (sources.length === 0) return undefined;
    const { transactionId: of } = random.pick(sources);
    return { operation, of, amount: operation === 'void' || random.chance(0.5) ? undefined : this.#amount() };
  }

  #byHand(executed: readonly Executed[]): Request | undefined {
    const { random } = this;
    const operation = random.pick(['capture', 'refund', 'refund'] as const);
    const sources = executed.filter(operation === 'capture' ? isPayment : isRefundable);
    if (sources.length === 0) return undefined;
    const { transactionId: of } = random.pick(sources);
    return { operation, of, amount: random.chance(0.5) ? undefined : this.#amount() };
  }

  /** The platform accepts a share and says so (0004); or, seldom, it moves another amount than the one in the request. */
  #part(operation: OperationKind, amount: number | undefined, isTagged: boolean): Request['part'] {
    const { random } = this;
    if (operation === 'void') return undefined;
    if (random.chance(0.08)) return { share: random.pick([0.5, 0.8]), isStated: true };
    // Without our tag, a report of another amount can only be of the back office.
    return amount !== undefined && isTagged && random.chance(0.03) ? { share: 0.9, isStated: false } : undefined;
  }

  #amount = (): number => this.random.pick([1_000, 1_000, 2_500, 5_000, 10_000, 30_001]);
}

const isRefundable = ({ operation }: Executed): boolean => operation === 'capture' || operation === 'pay';
/** A platform may give card payments captures of their own (docs/decisions/0020). */
const isPayment = ({ operation }: Executed): boolean => operation === 'authorize' || operation === 'pay';

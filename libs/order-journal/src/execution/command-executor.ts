import { isUnreachable, type CallResult, type Fault } from '@tranche/contracts';
import { OrderUnreadableError } from '../journal/journal-faults.js';
import { historyOf } from '../state/history.js';
import { afterNotExecuted, type AfterNotExecuted, nextStep } from '../state/next-step.js';
import { findOperation, type IntentVerdict, type OperationState, type OrderState } from '../state/order-state.js';
import type { Intent } from '../state/records.js';
import { isWithinSendDeadline, type Moment } from '../state/time.js';
import { RULES_VERSION } from '../state/versions.js';
import {
  NO_SENT_LEDGER,
  tellAtOnce,
  type CommandLease,
  type ExecutableCommand,
  type ExecutorPorts,
  type PreparedAttempt,
  type RejectedAttempt,
} from './executor-ports.js';

/** What an attempt needs to know of those before it. */
interface AttemptContext {
  /** Which of the platform's URLs is next, from 0. */
  readonly url: number;
  /** The rail was blocked since the last attempt: that was back-off enough. */
  readonly hasWaited: boolean;
}

/** The order after an attempt, or after a wait before it, and what the next one needs to know. */
type AttemptResult = AttemptContext & { readonly order: OrderState };

/** The verdict of the fold on an INTENT. */
interface GrantResult {
  token: string;
  verdict: IntentVerdict;
  /** When the INTENT's produce began: the send deadline counts from here (R5). */
  started: Moment;
  after: OrderState;
}

/**
 * One command from its arrival until nothing more is ours to do: read the order, decide the step, prepare, INTENT, send, OUTCOME. Of all
 * processes that try, the journal lets one pass.
 */
export class CommandExecutor<Command extends ExecutableCommand, Form, Bearer extends object> {
  constructor(private readonly ports: ExecutorPorts<Command, Form, Bearer>) {}

  /**
   * `reused`: the command's id belongs to a command with other content. `full`: its order takes no further operation. While the order can't be read nothing is granted, and the command
   * waits with its key only. Rejects where waiting was abandoned or the journal can't be reached: the command must come again.
   */
  async execute(command: Command, lease: CommandLease): Promise<'done' | 'reused' | 'full'> {
    const { journal } = this.ports;
    const { merchant } = command.merchant;
    const { orderId } = command;
    let context: AttemptContext = { url: this.ports.firstUrl(), hasWaited: false };
    /** Read anew after each wait for a slot, which may come long after what was waited for. */
    let order: OrderState | undefined;
    let isNew = true;
    let isReadToEnd = false;
    for (;;) {
      try {
        order ??= await journal.read(merchant, orderId);
        const next = nextStep(order, command);
        switch (next.step) {
          case 'reused':
            return 'reused';
          case 'full':
            // The view may lag: the command may be one of the operations that fill the order.
            if (isReadToEnd) return 'full';
            await lease.releaseSlotWhile(() => journal.readToEnd(merchant, orderId, lease.signal));
            order = undefined;
            isReadToEnd = true;
            continue;
          case 'repeat':
            if (isNew) await this.#tellAgain(command, order, lease);
            return 'done';
          case 'wait': {
            const seen = BigInt(order.lastOffset);
            await lease.releaseSlotWhile(() => journal.waitForRecordAfter(merchant, orderId, seen, lease.signal));
            order = undefined;
            break;
          }
          case 'attempt':
            lease.signal.throwIfAborted();
            ({ order, ...context } = await this.#attempt(command, order, next.attempt, lease, context));
            break;
        }
        isNew = false;
      } catch (error) {
        if (!(error instanceof OrderUnreadableError) || journal.stoppedFor(merchant, orderId) !== undefined)
          throw error;
        await lease.releaseSlotWhile(() => journal.whenReadable(merchant, orderId, lease.signal));
        order = undefined;
        isNew = true;
        context = { ...context, hasWaited: false };
      }
    }
  }

  /** All that can refuse the attempt or put it off comes first; then INTENT, and one POST where it is granted. */
  async #attempt(
    command: Command,
    order: OrderState,
    attempt: number,
    lease: CommandLease,
    context: AttemptContext,
  ): Promise<AttemptResult> {
    const { gate, journal, timing, prepare, bearerFor } = this.ports;
    const { rail } = command;
    const known = findOperation(order, command.commandId);
    if (known?.lastNotExecuted) {
      const after = this.#afterNotExecuted(command, known);
      if (after.next === 'give_up') return { ...context, order: await this.#giveUp(command, order, known, after) };
      if (after.inMs > 0 && !context.hasWaited)
        await lease.releaseSlotWhile(() => timing.sleep(after.inMs, lease.signal));
    }
    const { url } = context;
    /** The pause between two attempts was served, if it is this attempt still. */
    const goOnWith = (newest: OrderState): AttemptResult => ({
      url,
      hasWaited: findOperation(newest, command.commandId)?.attempt === attempt,
      order: newest,
    });
    const prepared = await prepare(command, order, attempt);
    if ('faults' in prepared) return goOnWith(await this.#reject(command, order, attempt, prepared));
    const bearer = await bearerFor(command.merchant);
    if (bearer === 'refused') {
      const rejected = { terms: prepared.terms, faults: [CREDENTIALS_REFUSED], restsOnOrder: false };
      return goOnWith(await this.#reject(command, order, attempt, rejected));
    }
    const permit = gate.enter(rail);
    if (!permit) {
      await lease.releaseSlotWhile(() => gate.wait(rail, lease.signal));
      return { ...context, hasWaited: true, order: await journal.read(command.merchant.merchant, command.orderId) };
    }

    // From here on the permit is left exactly once, whatever throws.
    const { send, urlCount, sentLedger = NO_SENT_LEDGER } = this.ports;
    let result: CallResult | undefined;
    let grant: GrantResult;
    try {
      await this.ports.warmUp?.(url);
      const moved = await this.#moved(order);
      if (moved) return goOnWith(moved);
      grant = await this.#askForGrant(command, order, attempt, prepared);
      const { token, verdict, started, after } = grant;
      if (verdict !== 'granted') {
        if (verdict !== undefined) sentLedger.ended(token);
        return { url, hasWaited: false, order: after };
      }
      // In this order: what the ledger does not hold is not sent, and what took long to write is sent no more.
      const maySend = () => sentLedger.sent(token) && isWithinSendDeadline(started, this.ports.moment());
      result = await send(prepared.form, { bearer, url, maySend });
    } finally {
      permit.leave(result, attempt % urlCount === 0);
    }

    // The platform may have executed it: what it said must come into the journal.
    const { token } = grant;
    const { commandId, trace } = command;
    const record = Object.assign(this.#inOrder(order), { commandId, attempt, token }, result);
    const after = await journal.appendWithRetry(record, trace);
    sentLedger.ended(token);
    return { url: isUnreachable(result) ? (url + 1) % urlCount : url, hasWaited: false, order: after };
  }

  /** INTENT, and the verdict of the fold on it. One whose verdict can't be had is never sent, and says so: it may yet land and be granted. */
  async #askForGrant(
    { commandId, trace }: Command,
    order: OrderState,
    attempt: number,
    { terms, tag, restsOnOrder, permits }: PreparedAttempt<Form>,
  ): Promise<GrantResult> {
    const { journal, moment, newToken, sentLedger = NO_SENT_LEDGER } = this.ports;
    const identity = { ...this.#inOrder(order), commandId, attempt, token: newToken() };
    const { token, merchant, orderId } = identity;
    const started = moment();
    sentLedger.made({ token, merchant, orderId, commandId, attempt });
    const intent: Intent = {
      record: 'INTENT',
      ...identity,
      ...terms,
      ...(tag === undefined ? {} : { tag }),
      ...(restsOnOrder ? { seen: historyOf(order) } : {}),
      ...permits,
    };
    try {
      const { after, verdict } = await journal.appendIntent(intent, trace);
      return { token, verdict, started, after };
    } catch (error) {
      const message = 'The verdict on the intent could not be read; nothing was sent';
      await journal
        .append({ record: 'NOT_EXECUTED', ...identity, reason: 'send_deadline', message }, trace)
        .catch(() => undefined);
      throw error;
    }
  }

  /** The time for which the rail was blocked counts for no retry limit. */
  #afterNotExecuted({ rail }: Command, operation: OperationState): AfterNotExecuted {
    const { timing, gate, urlCount } = this.ports;
    const nowMs = timing.nowMs();
    return afterNotExecuted(
      operation,
      nowMs - gate.blockedMs(rail, Date.parse(operation.firstIntentAt ?? '')),
      urlCount,
    );
  }

  #giveUp(
    { trace }: Command,
    order: OrderState,
    { commandId, attempt }: OperationState,
    { code, message, retryAfterSeconds }: Extract<AfterNotExecuted, { next: 'give_up' }>,
  ): Promise<OrderState> {
    const hint = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    return this.ports.journal.appendAndRead(
      { record: 'GIVEN_UP', ...this.#inOrder(order), commandId, attempt, code, message, ...hint },
      trace,
    );
  }

  async #tellAgain(command: Command, order: OrderState, lease: CommandLease): Promise<void> {
    const { journal, tellAgain = tellAtOnce } = this.ports;
    const { commandId, trace } = command;
    const append = () => journal.append({ record: 'REPEATED', ...this.#inOrder(order), commandId }, trace);
    await tellAgain(command, lease, append);
  }

  /** The order after the rejection, or where it has moved since as it is now. */
  async #reject(
    { commandId, trace }: Command,
    order: OrderState,
    attempt: number,
    { terms, faults, restsOnOrder }: RejectedAttempt,
  ): Promise<OrderState> {
    const moved = await this.#moved(order);
    if (moved) return moved;
    const seen = restsOnOrder ? { seen: historyOf(order) } : {};
    return this.ports.journal.appendAndRead(
      { record: 'REJECTED', ...this.#inOrder(order), commandId, attempt, ...terms, faults, ...seen },
      trace,
    );
  }

  /**
   * The order where it has moved since it was read: at the end of a wait its step is decided anew. The fold knows what was decided too early (R3), but not
   * in a log that has lost what this process has read meanwhile (R11).
   */
  async #moved({ merchant, orderId, lastOffset }: OrderState): Promise<OrderState | undefined> {
    const newest = await this.ports.journal.read(merchant, orderId);
    return newest.lastOffset === lastOffset ? undefined : newest;
  }

  #inOrder({ merchant, orderId }: OrderState): { rulesVersion: number; merchant: string; orderId: string; at: string } {
    return { rulesVersion: RULES_VERSION, merchant, orderId, at: new Date(this.ports.timing.nowMs()).toISOString() };
  }
}

const CREDENTIALS_REFUSED: Fault = {
  path: '',
  code: 'auth_refused',
  message: 'The token service refused the account’s credentials',
};

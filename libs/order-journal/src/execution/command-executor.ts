import { isUnreachable, type CallResult, type Fault } from '@tranche/contracts';
import { OrderUnreadableError } from '../journal/journal-faults.js';
import { historyOf } from '../state/history.js';
import { afterNotExecuted, type AfterNotExecuted, nextStep } from '../state/next-step.js';
import { findOperation, type IntentVerdict, type OperationState, type OrderState } from '../state/order-state.js';
import type { Intent } from '../state/records.js';
import { isWithinSendDeadline, type ClockReading } from '../state/time.js';
import { inOrder } from '../state/versions.js';
import {
  republishAtOnce,
  type CommandLease,
  type ExecutableCommand,
  type ExecutorPorts,
  type PreparedAttempt,
  type RejectedAttempt,
} from './executor-ports.js';

interface AttemptContext {
  /** Index of the platform's next URL, from 0. */
  readonly url: number;
  /** True where the rail was blocked since the last attempt; no further back-off is needed then. */
  readonly hasWaited: boolean;
}

/** The order after an attempt, or after a wait before it, and the context of the next attempt. */
type AttemptResult = AttemptContext & { readonly order: OrderState };

interface GrantResult {
  token: string;
  verdict: IntentVerdict;
  /** Start of the INTENT's append. The send deadline counts from here (R5). */
  started: ClockReading;
  after: OrderState;
}

/** Executes one command: read the order, decide the step, prepare, INTENT, send, OUTCOME. Where several processes try, only one is granted. */
export class CommandExecutor<Command extends ExecutableCommand, Form, Bearer extends object> {
  constructor(private readonly ports: ExecutorPorts<Command, Form, Bearer>) {}

  /**
   * Returns `reused` where the command's id belongs to a command with other content, and `full` where its order takes no further operation. While the
   * order can't be read, nothing is granted, and the command waits without an in-flight slot.
   * @throws where the wait was abandoned or the journal is unreachable: the command must be redelivered
   */
  async execute(command: Command, lease: CommandLease): Promise<'done' | 'reused' | 'full'> {
    const { journal } = this.ports;
    const { merchant } = command.merchant;
    const { orderId } = command;
    let context: AttemptContext = { url: this.ports.firstUrl(), hasWaited: false };
    /** Undefined after each wait for a slot: the order may have changed since, so it is read again. */
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
            // The view may lag behind the log, and the command may be one of the operations that fill the order.
            if (isReadToEnd) return 'full';
            await lease.releaseSlotWhile(() => journal.readToEnd(merchant, orderId, lease.signal));
            order = undefined;
            isReadToEnd = true;
            continue;
          case 'repeat':
            if (isNew) await this.#republishResult(command, order, lease);
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

  /** Makes one attempt: first everything that can refuse or delay it, then the INTENT, and one POST where it is granted. */
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
    /** The pause before this attempt has been waited for; it need not be repeated while the order still shows the same attempt. */
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

    // From here on the permit is returned exactly once, also after an error.
    const { send, urlCount } = this.ports;
    let result: CallResult | undefined;
    let grant: GrantResult;
    try {
      await this.ports.warmUp?.(url);
      const moved = await this.#moved(order);
      if (moved) return goOnWith(moved);
      grant = await this.#askForGrant(command, order, attempt, prepared);
      const { verdict, started, after } = grant;
      if (verdict !== 'granted') return { url, hasWaited: false, order: after };
      const maySend = () => isWithinSendDeadline(started, this.ports.readClocks());
      result = await send(prepared.form, { bearer, url, maySend });
    } finally {
      permit.leave(result, attempt % urlCount === 0);
    }

    // The platform may have executed the call, so its result must reach the journal.
    const { token } = grant;
    const { commandId, trace } = command;
    const record = Object.assign(this.#inOrder(order), { commandId, attempt, token }, result);
    const after = await journal.appendWithRetry(record, trace);
    return { url: isUnreachable(result) ? (url + 1) % urlCount : url, hasWaited: false, order: after };
  }

  /** Appends an INTENT and reads its verdict. @throws where there is none: nothing is sent, but the INTENT may still land and be granted */
  async #askForGrant(
    { commandId, trace }: Command,
    order: OrderState,
    attempt: number,
    { terms, tag, restsOnOrder, permits }: PreparedAttempt<Form>,
  ): Promise<GrantResult> {
    const { journal, readClocks, newToken } = this.ports;
    const identity = { ...this.#inOrder(order), commandId, attempt, token: newToken() };
    const { token } = identity;
    const started = readClocks();
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

  /** Time during which the rail was blocked does not count towards the retry limits. */
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

  async #republishResult(command: Command, order: OrderState, lease: CommandLease): Promise<void> {
    const { journal, republishResult: republishResult = republishAtOnce } = this.ports;
    const { commandId, trace } = command;
    const append = () => journal.append({ record: 'REPEATED', ...this.#inOrder(order), commandId }, trace);
    await republishResult(command, lease, append);
  }

  /** Appends the rejection and returns the order after it. Where the order has moved since it was read, returns it and appends nothing. */
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
   * Returns the order where it has moved since it was read, so that the step is decided again. The fold refuses old decisions too (R3), but not in a
   * log that lost records which this process has read (R11).
   */
  async #moved({ merchant, orderId, lastOffset }: OrderState): Promise<OrderState | undefined> {
    const newest = await this.ports.journal.read(merchant, orderId);
    return newest.lastOffset === lastOffset ? undefined : newest;
  }

  #inOrder(order: OrderState): ReturnType<typeof inOrder> {
    return inOrder(order, new Date(this.ports.timing.nowMs()).toISOString());
  }
}

const CREDENTIALS_REFUSED: Fault = {
  path: '',
  code: 'auth_refused',
  message: 'The token service refused the account’s credentials',
};

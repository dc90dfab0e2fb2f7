import { isUnreachable, type CallResult, type Fault } from '@tranche/contracts';
import { OrderUnreadableError } from '../journal/journal-faults.js';
import { historyOf } from '../state/history.js';
import { afterNotExecuted, type AfterNotExecuted, nextStep, type StepPolicy } from '../state/next-step.js';
import { findOperation, type IntentVerdict, type OperationState, type OrderState } from '../state/order-state.js';
import type { Intent } from '../state/records.js';
import { isWithinSendDeadline, type ClockReading } from '../state/time.js';
import { inOrder } from '../state/versions.js';
import type {
  CommandCopy,
  CommandLease,
  ExecutableCommand,
  ExecutorJournal,
  ExecutorPlatform,
  ExecutorTiming,
  PreparedAttempt,
  RejectedAttempt,
} from './executor-ports.js';
import type { KnownCommandPolicy } from './known-command.js';

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

/**
 * `reused`: the command's id belongs to a command with other content. `not_taken`: the order does not have the command and takes no operation for it,
 * or the policy leaves it alone.
 */
type CommandEnd = 'done' | 'reused' | 'not_taken';

interface Policy extends StepPolicy, Pick<KnownCommandPolicy, 'isNotTakenPublished'> {
  /** Takes an operation that is neither under way nor ended one step further. Undefined: nothing was done. */
  advance: (order: OrderState, attempt: number, context: AttemptContext) => Promise<AttemptResult | undefined>;
}

/** Handles one command: read the order, decide the step, prepare, INTENT, send, OUTCOME. Where several processes try, only one is granted. */
export class CommandExecutor<Command extends ExecutableCommand, Form, Bearer extends object> {
  constructor(
    private readonly journal: ExecutorJournal,
    private readonly platform: ExecutorPlatform<Command, Form, Bearer>,
    private readonly timing: ExecutorTiming,
  ) {}

  /** Attempts the command until it has a result. @throws where the wait was abandoned or the journal is unreachable: it must be redelivered */
  execute(command: Command, lease: CommandLease): Promise<CommandEnd> {
    const { orderId, commandId, contentHash, appendedMs, trace } = command;
    const copy = { merchant: command.merchant.merchant, orderId, commandId, contentHash, appendedMs, trace };
    return this.#handle(copy, lease, {
      takesNew: true,
      appendsIntent: true,
      isNotTakenPublished: true,
      advance: (order, attempt, context) => this.#attempt(command, order, attempt, lease, context),
    });
  }

  /** Answers a command that may not be attempted with the result that its order has. @throws as `execute` */
  answerKnown(command: CommandCopy, policy: KnownCommandPolicy, lease: CommandLease): Promise<CommandEnd> {
    const { journal, platform } = this;
    const { commandId, trace } = command;
    const { appendsIntent, isNotTakenPublished } = policy;
    const advance: Policy['advance'] = async (order, _attempt, context) => {
      const written = { at: this.#inOrder(order).at, newToken: () => platform.newToken() };
      let after: OrderState | undefined;
      for (const record of policy.between(order, findOperation(order, commandId)!, written))
        after =
          record.record === 'INTENT'
            ? (await journal.appendIntent(record, trace)).after
            : await journal.appendAndRead(record, trace);
      return after && { ...context, order: after };
    };
    return this.#handle(command, lease, { takesNew: false, appendsIntent, isNotTakenPublished, advance });
  }

  /** While the order can't be read, nothing is appended, and the command waits without an in-flight slot. */
  async #handle(command: CommandCopy, lease: CommandLease, policy: Policy): Promise<CommandEnd> {
    const { journal } = this;
    const { merchant, orderId } = command;
    let context: AttemptContext = { url: this.platform.answeringUrl, hasWaited: false };
    /** Undefined after each wait for a slot: the order may have changed since, so it is read again. */
    let order: OrderState | undefined;
    let isNew = true;
    let isReadToEnd = false;
    for (;;) {
      try {
        order ??= await journal.read(merchant, orderId);
        const next = nextStep(order, command, policy);
        switch (next.step) {
          case 'reused':
            return 'reused';
          case 'not_taken':
            // The view may lag behind the log, and the command may be an operation of the order.
            if (isReadToEnd || !policy.isNotTakenPublished) return 'not_taken';
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
          case 'attempt': {
            const result = await policy.advance(order, next.attempt, context);
            if (result === undefined) return 'not_taken';
            ({ order, ...context } = result);
            break;
          }
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
    const { journal, platform, timing } = this;
    const { clock, rails } = timing;
    const { rail } = command;
    const { merchant } = command.merchant;
    lease.signal.throwIfAborted();
    const known = findOperation(order, command.commandId);
    if (known?.lastNotExecuted) {
      const after = this.#afterNotExecuted(command, known);
      if (after.next === 'give_up') return { ...context, order: await this.#giveUp(command, order, known, after) };
      if (after.inMs > 0 && !context.hasWaited)
        await lease.releaseSlotWhile(() => clock.sleep(after.inMs, lease.signal));
    }
    const { url } = context;
    /** The pause before this attempt has been waited for; it need not be repeated while the order still shows the same attempt. */
    const goOnWith = (newest: OrderState): AttemptResult => ({
      url,
      hasWaited: findOperation(newest, command.commandId)?.attempt === attempt,
      order: newest,
    });
    const prepared = await platform.prepare(command, order, attempt);
    if ('faults' in prepared) return goOnWith(await this.#reject(command, order, attempt, prepared));
    const bearer = await platform.bearerFor(command.merchant);
    if (bearer === 'refused') {
      const rejected = { terms: prepared.terms, faults: [CREDENTIALS_REFUSED], restsOnOrder: false };
      return goOnWith(await this.#reject(command, order, attempt, rejected));
    }
    const permit = rails.enter(rail, merchant);
    if (!permit) {
      await lease.releaseSlotWhile(() => rails.wait(rail, merchant, lease.signal));
      return { ...context, hasWaited: true, order: await journal.read(merchant, command.orderId) };
    }

    // From here on the permit is returned exactly once, also after an error.
    const { urlCount } = platform;
    let result: CallResult | undefined;
    let grant: GrantResult;
    try {
      await platform.warmUp(url);
      const moved = await this.#moved(order);
      if (moved) return goOnWith(moved);
      grant = await this.#askForGrant(command, order, attempt, prepared);
      const { verdict, started, after } = grant;
      if (verdict !== 'granted') return { url, hasWaited: false, order: after };
      const maySend = () => isWithinSendDeadline(started, clock.readClocks());
      result = await platform.send(prepared.form, { bearer, url, maySend });
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
    const { journal, platform, timing } = this;
    const identity = { ...this.#inOrder(order), commandId, attempt, token: platform.newToken() };
    const { token } = identity;
    const started = timing.clock.readClocks();
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

  /** Time during which the command was blocked does not count towards the retry limits. */
  #afterNotExecuted({ rail, merchant }: Command, operation: OperationState): AfterNotExecuted {
    const { clock, rails } = this.timing;
    const blockedMs = rails.blockedMs(rail, merchant.merchant, Date.parse(operation.firstIntentAt ?? ''));
    return afterNotExecuted(operation, clock.nowMs() - blockedMs, this.platform.urlCount);
  }

  #giveUp(
    { trace }: Command,
    order: OrderState,
    { commandId, attempt }: OperationState,
    { code, message, retryAfterSeconds }: Extract<AfterNotExecuted, { next: 'give_up' }>,
  ): Promise<OrderState> {
    const hint = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    return this.journal.appendAndRead(
      { record: 'GIVEN_UP', ...this.#inOrder(order), commandId, attempt, code, message, ...hint },
      trace,
    );
  }

  async #republishResult(command: CommandCopy, order: OrderState, lease: CommandLease): Promise<void> {
    const { commandId, trace } = command;
    const append = () => this.journal.append({ record: 'REPEATED', ...this.#inOrder(order), commandId }, trace);
    await this.timing.repeats.republish(command, lease, append);
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
    return this.journal.appendAndRead(
      { record: 'REJECTED', ...this.#inOrder(order), commandId, attempt, ...terms, faults, ...seen },
      trace,
    );
  }

  /**
   * Returns the order where it has moved since it was read, so that the step is decided again. The fold refuses old decisions too (R3), but not in a
   * log that lost records which this process has read (R11).
   */
  async #moved({ merchant, orderId, lastOffset }: OrderState): Promise<OrderState | undefined> {
    const newest = await this.journal.read(merchant, orderId);
    return newest.lastOffset === lastOffset ? undefined : newest;
  }

  #inOrder(order: OrderState): ReturnType<typeof inOrder> {
    return inOrder(order, new Date(this.timing.clock.nowMs()).toISOString());
  }
}

const CREDENTIALS_REFUSED: Fault = {
  path: '',
  code: 'auth_refused',
  message: 'The token service refused the account’s credentials',
};

import { execCode as execCodeOf, METHODS, type CallResult, type OperationKind, type Rail } from '@tranche/contracts';
import {
  compact,
  operationTag,
  referenceFor,
  tagExtraData,
  type ExecutableCommand,
  type ExecutorPlatform,
  type OrderState,
  type OperationTerms,
  type PreparedAttempt,
  type RailGate,
  type RejectedAttempt,
} from '@tranche/order-journal';
import type { SimulatedCommand } from './commands.js';
import type { PlatformAnswer, PlatformRequest, SimulatedPlatform } from './platform.js';
import type { SimulatedProcess } from './process.js';

/** Milliseconds from the first byte to the last (`PLATFORM_TIMEOUT_MS`). */
export const PLATFORM_TIMEOUT_MS = 3_000;
/** A request arrives within this time, even if its caller has given up. */
const LONGEST_WAY_MS = 20_000;

/** A service of ours is unavailable, so the command is retried. */
export class NotNowError extends Error {
  override name = 'NotNowError';
}

/** A command in the form that the executor takes. */
export type ExecutedCommand = ExecutableCommand & { readonly carries: SimulatedCommand };

export function executed(carries: SimulatedCommand): ExecutedCommand {
  const { merchant, orderId, commandId, contentHash, rail } = carries;
  return { merchant: { merchant }, orderId, commandId, contentHash, rail, carries };
}

/** Plays the gateway and the platform for the executor: rules, terms, and one POST that the simulated platform and network may disturb. */
export function callsOf(
  process: SimulatedProcess,
  platform: SimulatedPlatform,
  newToken: () => string,
): ExecutorPlatform<ExecutedCommand, PlatformRequest, never> {
  return {
    newToken,
    // The token is drawn before the rules are checked. Another order would change the worlds of all known seeds.
    prepare: async ({ carries }, order, attempt) => {
      if (process.env.random.chance(0.5)) await process.request('bearer token', () => undefined);
      if (process.env.isTroubled() && process.env.random.chance(0.01)) throw new NotNowError('no bearer token');
      return prepare(carries, order, attempt, process);
    },
    bearerFor: () => Promise.resolve(undefined),
    urlCount: 1,
    answeringUrl: 0,
    warmUp: () => Promise.resolve(),
    send: (request, { maySend }) => send(request, maySend, process, platform),
  };
}

type Fault = RejectedAttempt['faults'][number];

function prepare(
  command: SimulatedCommand,
  order: OrderState,
  attempt: number,
  process: SimulatedProcess,
): PreparedAttempt<PlatformRequest> | RejectedAttempt {
  const { operation, commandId, amount, supersedes, contentHash, orderKey } = command;
  const { transactionId, fault } = named(command, order);
  const ofReference = order.operations.find(
    (other) => transactionId !== undefined && other.transactionId === transactionId,
  );
  const method = (isFollowUp(operation) ? ofReference?.method : undefined) ?? command.method;
  const references = compact({ amount, supersedes, transactionId });
  const terms: OperationTerms = { operation, method, currency: 'EUR', contentHash, ...references };
  const rejected = (one: Fault, restsOnOrder = true) => ({ terms, faults: [one], restsOnOrder });
  const target = order.operations.find((other) => other.commandId === supersedes);
  const isForm = target?.operation === 'authorize' && METHODS[target.method].fields === METHODS.A.fields;
  const permits: PreparedAttempt<PlatformRequest>['permits'] =
    isForm && process.env.profile.edges?.waiting?.supersedesDoubts ? { supersedesDoubt: true } : {};
  if (command.notAfterMs !== undefined && process.env.scheduler.nowMs > command.notAfterMs)
    return rejected({ path: 'notAfter', code: 'not_after_passed', message: 'has passed' }, false);
  if (fault) return rejected(fault);
  if (operation === 'void' && !METHODS[method].takesVoid)
    return rejected({ path: '', code: 'void_not_offered', message: 'Method B has no void' });
  if (isFollowUp(operation) && transactionId === undefined)
    return rejected({ path: 'transactionId', code: 'transaction_unknown', message: 'none fits' });
  const { extraData, isTagged } = tagExtraData(command.isUntagged ? 'x'.repeat(250) : 'basket', commandId, attempt);
  const fields = compact({ amount, transactionId, extraData: operation === 'pay' ? undefined : extraData });
  const isReferenceRead = transactionId !== undefined && command.transactionId === undefined;
  const by = { commandId, attempt, token: '', preparedMs: process.env.scheduler.nowMs, ...compact({ supersedes }) };
  return {
    terms,
    restsOnOrder: isReferenceRead,
    permits,
    ...(isTagged && operation !== 'pay' ? { tag: operationTag(commandId) } : {}),
    form: { orderKey, operation, method, ...fields, by },
  };
}

function named({ operation, transactionId }: SimulatedCommand, order: OrderState): ReturnType<typeof referenceFor> {
  if (!isFollowUp(operation)) return {};
  return transactionId === undefined ? referenceFor(order, operation) : { transactionId };
}

export const isFollowUp = (operation: OperationKind): operation is 'capture' | 'refund' | 'void' =>
  operation === 'capture' || operation === 'refund' || operation === 'void';

/** A call may come to one of these instead of a plain answer. */
const TROUBLES = [
  ...(['unreachable', 'refuses', 'refuses', 'auth', 'drop_before'] as const),
  ...(['execute_then_lose', '5xx_before', '5xx_after', 'unclear', 'hang'] as const),
];

async function send(
  request: PlatformRequest,
  maySend: () => boolean,
  process: SimulatedProcess,
  platform: SimulatedPlatform,
): Promise<CallResult> {
  const { random, profile, isTroubled, scheduler } = process.env;
  const hasTrouble = isTroubled() && random.chance(profile.platformTrouble);
  const trouble = hasTrouble ? random.pick(TROUBLES) : 'none';
  await process.request('connect', () => undefined);
  if (trouble === 'unreachable')
    return { record: 'NOT_EXECUTED', reason: 'unreachable', message: 'connection refused' };
  if (!maySend()) return { record: 'NOT_EXECUTED', reason: 'send_deadline', message: 'The send deadline had passed' };
  return new Promise((resolve) => {
    const label = `POST ${request.by.commandId}/${request.by.attempt}`;
    const timeout = process.after(PLATFORM_TIMEOUT_MS, `${label}: time-out`, () =>
      resolve({ record: 'IN_DOUBT', reason: 'timeout', message: 'no answer' }),
    );
    const answer = (result: CallResult) => {
      if (!process.isAlive) return;
      process.after(process.latencyMs(), `${label}: ${result.record}`, () => {
        timeout.cancel();
        resolve(result);
      });
    };
    const wayMs = trouble === 'hang' ? random.between(0, LONGEST_WAY_MS) : process.latencyMs();
    scheduler.after(wayMs, `${label}: arrives`, () => {
      if (trouble === 'drop_before') return random.chance(0.5) ? undefined : answer(lost);
      if (trouble === '5xx_before') return answer(httpStatus);
      if (trouble === 'auth') return answer({ record: 'NOT_EXECUTED', reason: 'auth_refused', message: '401' });
      const said = platform.take(request, trouble === 'refuses' || (trouble === 'unclear' && random.chance(0.5)));
      if (trouble === 'execute_then_lose') return random.chance(0.5) ? undefined : answer(lost);
      if (trouble === '5xx_after') return answer(httpStatus);
      if (trouble === 'unclear')
        return answer({ record: 'IN_DOUBT', reason: 'platform_in_doubt', message: '', execCode: '5004' });
      answer(classify(said));
    });
  });
}

const lost: CallResult = { record: 'IN_DOUBT', reason: 'connection_lost', message: 'The connection broke' };
const httpStatus: CallResult = { record: 'IN_DOUBT', reason: 'http_status', message: 'The platform answered HTTP 502' };

/** Classifies by the EXECCODE table of the contracts, as the gateway does. */
function classify(answer: PlatformAnswer): CallResult {
  const { class: codeClass, meaning } = execCodeOf(answer.execCode);
  switch (codeClass) {
    case 'succeeded':
    case 'refused':
    case 'pending':
    case 'redirect_required':
      return { record: 'OUTCOME', result: codeClass, answer };
    case 'succeeded_partly':
      return { record: 'OUTCOME', result: 'succeeded', partial: true, answer };
    case 'not_executed':
      return { record: 'NOT_EXECUTED', reason: 'execcode', message: meaning, execCode: answer.execCode };
    case 'in_doubt':
      return { record: 'IN_DOUBT', reason: 'platform_in_doubt', message: meaning, execCode: answer.execCode };
  }
}

const FAILURES_UNTIL_BLOCKED = 3;
const BLOCKED_MS = 1_500;

/** Blocks a rail for a while after several calls in a row that the platform did not execute. */
export function railGateOf(process: SimulatedProcess): RailGate {
  const failures = new Map<Rail, number>();
  const blockedUntilMs = new Map<Rail, number>();
  const blockedMs = (rail: Rail) => Math.max(0, (blockedUntilMs.get(rail) ?? 0) - process.monotonicMs());
  return {
    enter: (rail) => {
      if (blockedMs(rail) > 0) return undefined;
      return {
        leave: (result) => {
          if (result === undefined) return;
          const isUnavailable = result.record === 'NOT_EXECUTED' && result.reason !== 'auth_refused';
          failures.set(rail, isUnavailable ? (failures.get(rail) ?? 0) + 1 : 0);
          if (failures.get(rail)! >= FAILURES_UNTIL_BLOCKED)
            blockedUntilMs.set(rail, process.monotonicMs() + BLOCKED_MS);
        },
      };
    },
    wait: (rail, _merchant, signal) => process.sleep(blockedMs(rail), signal),
    blockedMs: () => 0,
  };
}

import {
  execCode as execCodeOf,
  isKnownExecCode,
  OPERATION_TYPE_OF,
  type CallDoubtReason,
  type CallResult,
  type OperationKind,
  type PlatformAnswer,
} from '@tranche/contracts';
import { amountFlags, boundedAnswer, fieldsOfBody, isExecCode, readAmount, textsOf } from './bounded-answer.js';

export type PlatformReply =
  /** Provably not one byte was written to the platform. */
  | { kind: 'not_sent'; reason: 'unreachable' | 'send_deadline'; message: string }
  | { kind: 'answered'; status: number; wwwAuthenticate?: string; body: string }
  /** The first byte may have left, and no readable answer arrived. */
  | { kind: 'lost'; reason: 'timeout' | 'connection_lost' | 'unreadable_answer'; message: string };

/** Converts a reply to the journal record that it proves. */
export function classifyReply(reply: PlatformReply, operation: OperationKind, withBearer: boolean): CallResult {
  if (reply.kind === 'not_sent') return { record: 'NOT_EXECUTED', reason: reply.reason, message: reply.message };
  if (reply.kind === 'lost') return inDoubt(reply.reason, reply.message);
  const { status } = reply;
  if (status === 401 && withBearer && /^bearer\b/i.test(reply.wwwAuthenticate ?? '')) {
    return { record: 'NOT_EXECUTED', reason: 'auth_refused', message: 'The platform refused the bearer token' };
  }
  const isRefused = REFUSING_STATUS.test(String(status));
  if (status !== 200 && !isRefused) return inDoubt('http_status', `The platform answered HTTP ${status}`);
  const result = classifyBody(reply.body, operation);
  const isProved = status === 200 || (result.record === 'OUTCOME' && result.result === 'refused');
  return isProved ? result : inDoubt('http_status', `The platform answered HTTP ${status}`);
}

/** Under these, too, a known EXECCODE of a refusal says that the platform refused. Under 5xx, a proxy may answer for a platform that still works. */
const REFUSING_STATUS = /^4\d\d$/;

function classifyBody(body: string, operation: OperationKind): CallResult {
  const fields = textsOf(fieldsOfBody(body));
  const execCode = fields.get('EXECCODE');
  if (execCode === undefined || !isExecCode(execCode))
    return inDoubt('unreadable_answer', 'The platform’s answer holds no EXECCODE that can be read');
  const type = fields.get('OPERATIONTYPE');
  const isBareRefusal = type === undefined && isKnownExecCode(execCode) && execCodeOf(execCode).class === 'refused';
  if (type !== OPERATION_TYPE_OF[operation] && !isBareRefusal)
    return inDoubt('wrong_operation_type', 'The platform’s answer is about another OPERATIONTYPE', execCode);
  const result = classifyCode(execCode, operation, readAnswer(fields, execCode));
  return result.record === 'OUTCOME' ? { ...result, ...amountFlags(fields.get('AMOUNT')) } : result;
}

function classifyCode(execCode: string, operation: OperationKind, answer: PlatformAnswer): CallResult {
  const { class: codeClass, meaning } = execCodeOf(execCode);
  const mayWait = operation === 'authorize' || operation === 'pay';
  switch (codeClass) {
    case 'succeeded':
      return { record: 'OUTCOME', result: 'succeeded', answer };
    case 'succeeded_partly':
      return { record: 'OUTCOME', result: 'succeeded', partial: true, answer };
    case 'refused':
      return { record: 'OUTCOME', result: 'refused', answer };
    case 'redirect_required':
    case 'pending':
      if (mayWait) return { record: 'OUTCOME', result: codeClass, answer: withoutPage(codeClass, answer) };
      return inDoubt('unknown_execcode', `EXECCODE ${execCode} says nothing about this operation`, execCode);
    case 'not_executed':
      return { record: 'NOT_EXECUTED', reason: 'execcode', message: meaning, execCode };
    case 'in_doubt':
      return inDoubt(execCode === '5004' ? 'platform_in_doubt' : 'unknown_execcode', meaning, execCode);
  }
}

/** The merchant displays REDIRECTHTML to a redirected cardholder (interface, authorization): without a page, the event says that there is none. */
const withoutPage = (codeClass: 'redirect_required' | 'pending', answer: PlatformAnswer): PlatformAnswer =>
  codeClass === 'redirect_required' && answer.redirectHtml === undefined
    ? { ...answer, redirectHtmlDropped: true }
    : answer;

const inDoubt = (reason: CallDoubtReason, message: string, execCode?: string): CallResult => ({
  record: 'IN_DOUBT',
  reason,
  message,
  ...(execCode !== undefined && { execCode }),
});

function readAnswer(fields: ReadonlyMap<string, string>, execCode: string): PlatformAnswer {
  return boundedAnswer({
    execCode,
    transactionId: fields.get('TRANSACTIONID'),
    message: fields.get('MESSAGE'),
    descriptor: fields.get('DESCRIPTOR'),
    amount: readAmount(fields.get('AMOUNT')),
    redirectHtml: fields.get('REDIRECTHTML'),
  });
}

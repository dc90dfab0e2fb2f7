import {
  execCode as execCodeOf,
  OPERATION_TYPE_OF,
  parseJson,
  type CallResult,
  type OperationKind,
  type PlatformAnswer,
} from '@tranche/contracts';
import { boundedAnswer, isExecCode, readAmount } from './bounded-answer.js';

export type PlatformReply =
  /** Provably not one byte was written to the platform. */
  | { kind: 'not_sent'; reason: 'unreachable' | 'send_deadline'; message: string }
  | { kind: 'answered'; status: number; wwwAuthenticate?: string; body: string }
  /** The first byte may have left, and no readable answer arrived. */
  | { kind: 'lost'; reason: 'timeout' | 'connection_lost'; message: string };

/** Converts a reply to the journal record that it proves. */
export function classifyReply(reply: PlatformReply, operation: OperationKind, withBearer: boolean): CallResult {
  if (reply.kind === 'not_sent') return { record: 'NOT_EXECUTED', reason: reply.reason, message: reply.message };
  if (reply.kind === 'lost') return { record: 'IN_DOUBT', reason: reply.reason, message: reply.message };
  const { status } = reply;
  if (status === 401 && withBearer && /^bearer\b/i.test(reply.wwwAuthenticate ?? '')) {
    return { record: 'NOT_EXECUTED', reason: 'auth_refused', message: 'The platform refused the bearer token' };
  }
  if (status !== 200)
    return { record: 'IN_DOUBT', reason: 'http_status', message: `The platform answered HTTP ${status}` };
  return classifyBody(reply.body, operation);
}

function classifyBody(body: string, operation: OperationKind): CallResult {
  const fields = readFields(body);
  const execCode = fields?.get('EXECCODE');
  if (fields === undefined || execCode === undefined || !isExecCode(execCode)) {
    return {
      record: 'IN_DOUBT',
      reason: 'unreadable_answer',
      message: 'The platform’s answer holds no EXECCODE that can be read',
    };
  }
  if (fields.get('OPERATIONTYPE') !== OPERATION_TYPE_OF[operation]) {
    return {
      record: 'IN_DOUBT',
      reason: 'wrong_operation_type',
      message: 'The platform’s answer is about another OPERATIONTYPE',
      execCode,
    };
  }
  return classifyCode(execCode, operation, readAnswer(fields, execCode));
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
      return {
        record: 'IN_DOUBT',
        reason: 'unknown_execcode',
        message: `EXECCODE ${execCode} says nothing about this operation`,
        execCode,
      };
    case 'not_executed':
      return { record: 'NOT_EXECUTED', reason: 'execcode', message: meaning, execCode };
    case 'in_doubt':
      return {
        record: 'IN_DOUBT',
        reason: execCode === '5004' ? 'platform_in_doubt' : 'unknown_execcode',
        message: meaning,
        execCode,
      };
  }
}

/** The merchant displays REDIRECTHTML to a redirected cardholder (interface, authorization): without a page, the event says that there is none. */
const withoutPage = (codeClass: 'redirect_required' | 'pending', answer: PlatformAnswer): PlatformAnswer =>
  codeClass === 'redirect_required' && answer.redirectHtml === undefined
    ? { ...answer, redirectHtmlDropped: true }
    : answer;

/** The string fields of a JSON object; undefined for anything else. The answer has no HASH, so its only protection is HTTPS. */
function readFields(body: string): Map<string, string> | undefined {
  let parsed: unknown;
  try {
    parsed = parseJson(body);
  } catch {
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
  return new Map(Object.entries(parsed).filter((field): field is [string, string] => typeof field[1] === 'string'));
}

function readAnswer(fields: Map<string, string>, execCode: string): PlatformAnswer {
  return boundedAnswer({
    execCode,
    transactionId: fields.get('TRANSACTIONID'),
    message: fields.get('MESSAGE'),
    descriptor: fields.get('DESCRIPTOR'),
    amount: readAmount(fields.get('AMOUNT')),
    redirectHtml: fields.get('REDIRECTHTML'),
  });
}

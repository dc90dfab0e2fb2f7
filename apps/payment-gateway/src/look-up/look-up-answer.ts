import { execCodeClass } from '@tranche/contracts';

/** One transaction, as the platform lists it: only what is text. */
export type Row = ReadonlyMap<string, string>;

export type LookUpReply = { kind: 'answered'; status: number; body: string } | { kind: 'unanswered'; message: string };

export type LookUpAnswer =
  | { kind: 'rows'; rows: Row[] }
  /** The platform does not answer this question, there or anywhere. */
  | { kind: 'refused'; execCode: string }
  /** It refuses the bearer token. */
  | { kind: 'unauthorized' }
  /** Nothing that can be read: the other URL may know more. */
  | { kind: 'failed'; message: string };

/** An order has a handful of transactions. */
const MAX_ROWS = 200;

export function readLookUpAnswer(reply: LookUpReply): LookUpAnswer {
  if (reply.kind === 'unanswered') return { kind: 'failed', message: reply.message };
  const { status, body } = reply;
  if (status === 401) return { kind: 'unauthorized' };
  if (status !== 200) return { kind: 'failed', message: `HTTP ${status}` };
  const answer = parsed(body);
  const execCode = answer?.EXECCODE;
  if (answer === undefined || typeof execCode !== 'string') return { kind: 'failed', message: 'the answer cannot be read' };
  if (execCodeClass(execCode) === 'refused') return { kind: 'refused', execCode };
  if (execCodeClass(execCode) !== 'succeeded') return { kind: 'failed', message: `EXECCODE ${execCode.slice(0, 8)}` };
  if (!Array.isArray(answer.DATA)) return { kind: 'failed', message: 'the answer has no DATA' };
  return { kind: 'rows', rows: answer.DATA.slice(0, MAX_ROWS).map(rowOf) };
}

function parsed(body: string): Record<string, unknown> | undefined {
  try {
    const answer: unknown = JSON.parse(body);
    return isObject(answer) ? answer : undefined;
  } catch {
    return undefined;
  }
}

function rowOf(row: unknown): Row {
  return new Map(isObject(row) ? Object.entries(row).filter((field): field is [string, string] => typeof field[1] === 'string') : []);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

export type ExecCodeClass =
  'succeeded' | 'succeeded_partly' | 'redirect_required' | 'pending' | 'refused' | 'not_executed' | 'in_doubt';

/** Retry that is allowed after an operation that was not executed. */
type ExecCodeRetry = 'second_url' | 'back_off' | 'slow_down' | 'none';

interface ExecCode {
  readonly class: ExecCodeClass;
  readonly meaning: string;
  readonly retry: ExecCodeRetry;
  /** True if the code, after an operation in doubt, may mean that the operation was executed earlier. Then it proves nothing. */
  readonly maybeAlreadyDone: boolean;
  /** Seconds until the caller may try again with a new command. */
  readonly retryAfterSeconds?: number;
}

/** All known codes. `0000`, `0002` and `0003` come from the interface, the others from public clients of the platform. */
export const EXECCODES: Readonly<Record<string, ExecCode>> = Object.freeze({
  '0000': code('succeeded', 'succeeded'),
  '0001': code('redirect_required', 'the cardholder must authenticate (3-D Secure)'),
  '0002': code('redirect_required', 'the cardholder must be redirected'),
  '0003': code('pending', 'waiting for approval'),
  '0004': code('succeeded_partly', 'partially accepted'),
  '1001': code('refused', 'a parameter is missing'),
  '1002': code('refused', 'a parameter is invalid'),
  '1003': code('refused', 'HASH is wrong'),
  '1004': code('refused', 'protocol not supported'),
  '1005': code('refused', 'malformed request'),
  '1006': code('refused', 'GET is not allowed'),
  '2001': code('refused', 'alias not found'),
  '2002': code('refused', 'reference transaction not found'),
  '2003': code('refused', 'reference transaction not successful'),
  '2004': code('refused', 'reference transaction not refundable'),
  '2005': code('refused', 'reference authorization not capturable', { maybeAlreadyDone: true }),
  '2006': code('not_executed', 'reference transaction not finished', { retry: 'back_off' }),
  '2007': code('refused', 'capture amount invalid'),
  '2008': code('refused', 'refund amount invalid'),
  '2009': code('refused', 'authorization expired'),
  '2010': code('refused', 'schedule not found'),
  '2011': code('refused', 'schedule or file in error'),
  '2012': code('refused', 'schedule or file in error'),
  '2013': code('refused', 'schedule or file in error'),
  '2014': code('refused', 'file invalid'),
  '2015': code('refused', 'transaction cannot be voided', { maybeAlreadyDone: true }),
  '2016': code('refused', 'resource exists already', { maybeAlreadyDone: true }),
  '2017': code('not_executed', 'transaction not available yet', { retry: 'back_off' }),
  '3001': code('refused', 'account disabled'),
  '3002': code('refused', 'server address not allowed'),
  '3003': code('refused', 'transaction not permitted'),
  '3004': code('not_executed', 'rate limit exceeded', { retry: 'slow_down' }),
  '4001': code('refused', 'refused by the bank'),
  '4002': code('refused', 'insufficient funds'),
  '4003': code('refused', 'card refused'),
  '4004': code('refused', 'abandoned'),
  '4005': code('refused', 'fraud suspected'),
  '4006': code('refused', 'card lost'),
  '4007': code('refused', 'card stolen'),
  '4008': code('refused', '3-D Secure failed'),
  '4009': code('refused', '3-D Secure expired'),
  '4010': code('refused', 'invalid transaction'),
  '4011': code('refused', 'duplicate transaction', { maybeAlreadyDone: true }),
  '4012': code('refused', 'card data invalid'),
  '4013': code('refused', 'transaction not allowed'),
  '4014': code('refused', 'card not enrolled'),
  '4015': code('refused', 'card expired'),
  '4016': code('refused', 'refused by the terminal'),
  '4017': code('refused', 'payment form expired'),
  '4020': code('refused', 'strong authentication required'),
  '5001': code('not_executed', 'protocol failure', { retry: 'second_url' }),
  '5002': code('not_executed', 'bank network error', { retryAfterSeconds: 300 }),
  '5003': code('not_executed', 'maintenance', { retry: 'second_url' }),
  '5004': code('in_doubt', 'time out inside the platform, the answer comes by notification'),
  '5005': code('not_executed', 'display error', { retryAfterSeconds: 300 }),
  '6001': code('refused', 'refused by the fraud engine'),
  '6002': code('refused', 'refused by the fraud engine'),
  '6003': code('refused', 'refused by the fraud engine'),
  '6004': code('refused', 'refused by the fraud engine'),
  '6005': code('refused', 'refused by the fraud engine'),
});

const UNKNOWN_REFUSED = Object.freeze(code('refused', 'unknown code'));
const UNKNOWN_IN_DOUBT = Object.freeze(code('in_doubt', 'unknown code'));
const REFUSED_FAMILY = /^[12346][0-9]{3}$/;

export function isKnownExecCode(execCode: string): boolean {
  return Object.hasOwn(EXECCODES, execCode);
}

/** Classifies any code. Unknown codes 1xxx–4xxx and 6xxx are refused; all others, malformed ones included, are in doubt. */
export function execCode(code: string): ExecCode {
  if (isKnownExecCode(code)) return EXECCODES[code] ?? UNKNOWN_IN_DOUBT;
  return REFUSED_FAMILY.test(code) ? UNKNOWN_REFUSED : UNKNOWN_IN_DOUBT;
}

export function execCodeClass(code: string): ExecCodeClass {
  return execCode(code).class;
}

type Details = Partial<Pick<ExecCode, 'retry' | 'maybeAlreadyDone' | 'retryAfterSeconds'>>;

function code(codeClass: ExecCodeClass, meaning: string, details: Details = {}): ExecCode {
  return { class: codeClass, meaning, retry: 'none', maybeAlreadyDone: false, ...details };
}

/** A refusal of the request: a normal answer, not an exception. */
export interface Refusal {
  readonly execCode: string;
  readonly message: string;
}

export const isRefusal = (result: object): result is Refusal => 'execCode' in result;

const MESSAGES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '0000': 'The operation succeeded.',
    '0001': 'The cardholder must authenticate.',
    '0002': 'The cardholder must be redirected.',
    '0003': 'The authorization waits for approval.',
    '0004': 'The operation was accepted in part.',
    '1001': 'A parameter is missing',
    '1002': 'A parameter is invalid',
    '1003': 'The HASH is wrong.',
    '1004': 'The protocol version is not supported.',
    '1005': 'The request is malformed.',
    '1006': 'GET is not allowed here.',
    '2001': 'The alias does not exist.',
    '2002': 'The referenced transaction does not exist.',
    '2003': 'The referenced transaction did not succeed.',
    '2004': 'The referenced transaction cannot be refunded.',
    '2005': 'The authorization cannot be captured.',
    '2006': 'The referenced transaction is not finished.',
    '2007': 'The amount of the capture is invalid.',
    '2008': 'The amount of the refund is invalid.',
    '2009': 'The authorization has expired.',
    '2010': 'The schedule does not exist.',
    '2011': 'A schedule or a file is in error.',
    '2012': 'A schedule or a file is in error.',
    '2013': 'A schedule or a file is in error.',
    '2014': 'The file is invalid.',
    '2015': 'The operation cannot be voided.',
    '2016': 'The resource exists already.',
    '2017': 'The transaction is not available yet: another operation on it is going on.',
    '3001': 'The account is disabled.',
    '3002': 'The server address is not allowed.',
    '3003': 'The transaction is not permitted.',
    '3004': 'The rate limit is exceeded.',
    '4001': 'The bank refused the transaction.',
    '4002': 'Insufficient funds.',
    '4003': 'The card was refused.',
    '4004': 'The transaction was abandoned.',
    '4005': 'Fraud is suspected.',
    '4006': 'The card was declared lost.',
    '4007': 'The card was declared stolen.',
    '4008': 'The 3-D Secure authentication failed.',
    '4009': 'The 3-D Secure authentication expired.',
    '4010': 'The transaction is invalid.',
    '4011': 'The transaction is a duplicate.',
    '4012': 'The card data are invalid.',
    '4013': 'The transaction is not allowed for this holder.',
    '4014': 'The card is not enrolled for 3-D Secure.',
    '4015': 'The card has expired.',
    '4016': 'The terminal refused the transaction.',
    '4017': 'The form has expired.',
    '4020': 'Strong authentication is required.',
    '5001': 'The protocol with the acquirer failed.',
    '5002': 'The bank network did not answer properly.',
    '5003': 'The platform is under maintenance.',
    '5004': 'Time out. The result will be notified.',
    '5005': 'The form could not be displayed.',
    '6001': 'The fraud engine refused the transaction.',
    '6002': 'The fraud engine refused the transaction.',
    '6003': 'The fraud engine refused the transaction.',
    '6004': 'The fraud engine refused the transaction.',
    '6005': 'The fraud engine refused the transaction.',
  }),
);

export const isKnownCode = (code: string): boolean => MESSAGES.has(code);

export const messageOf = (execCode: string): string => MESSAGES.get(execCode) ?? 'Unknown result.';

/** 1001 and 1002 name the parameter. Its value is left out, because it may be secret. */
export function refusal(execCode: string, parameter?: string): Refusal {
  return { execCode, message: parameter === undefined ? messageOf(execCode) : `${messageOf(execCode)}: ${parameter}` };
}

/** True if the bank or the fraud engine refused. Only such refusals create a transaction. */
export const isRefusedByBank = (execCode: string): boolean => execCode.startsWith('4') || execCode.startsWith('6');

/**
 * The last four digits of an amount choose the result: 24001 gives 4001, and 19000 has no effect. Codes 0xxx are left out, because 200001
 * must be an ordinary amount.
 */
export function codeWantedBy(amount: number): string | undefined {
  const code = String(amount % 10_000).padStart(4, '0');
  return code > '1000' && isKnownCode(code) ? code : undefined;
}

/** The same for the last four digits of a card number, as in the platform's sandbox. Here 0001 and 0004 count too. */
export function codeWantedByCard(cardCode: string): string | undefined {
  const code = cardCode.slice(-4);
  return isKnownCode(code) && !['0000', '0002', '0003'].includes(code) ? code : undefined;
}

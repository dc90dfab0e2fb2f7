import { EXECCODES } from '@tranche/contracts';

/** A refusal of the request: a normal answer, not an exception. */
export interface Refusal {
  readonly execCode: string;
  readonly message: string;
}

export const isRefusal = (result: object): result is Refusal => 'execCode' in result;

export const isKnownCode = (code: string): boolean => Object.hasOwn(EXECCODES, code);

/** The interface shows no texts, so they are those of the contracts' table. */
export function messageOf(execCode: string): string {
  const { meaning } = EXECCODES[execCode] ?? { meaning: 'unknown result' };
  return meaning.charAt(0).toUpperCase() + meaning.slice(1);
}

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

import {
  isPlainObject,
  parseJson,
  parseJsonWithNames,
  sentValue,
  withNumbersAsTexts,
  type NotificationFlag,
  type PlatformAnswer,
} from '@tranche/contracts';

/** Maximum characters of a stored EXECCODE. The interface says string(4); any other code is stored as received and proves nothing. */
const EXECCODE_CHARACTERS = 65_536;
export const isExecCode = (text: string): boolean => text !== '' && text.length <= EXECCODE_CHARACTERS;
/** TRANSACTIONID, string(1-32). Any other text identifies no transaction. */
export const isTransactionId = (text: string): boolean => /^.{1,32}$/su.test(text);
/** AMOUNT in minor units, as far as a number holds it exactly: commands and notifications have the same limit. */
export const readAmount = (text = ''): number | undefined =>
  /^[0-9]+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;

/** An AMOUNT was reported that can not be read: the flag that a notification has then, too. */
export const amountFlags = (text = ''): { flags?: NotificationFlag[] } =>
  text === '' || readAmount(text) !== undefined ? {} : { flags: ['invalid_amount'] };

/** MESSAGE has no limit in the interface (Transaction), but a journal record has one. */
const MESSAGE_CHARACTERS = 4_096;
const DESCRIPTOR_CHARACTERS = 255;
/** REDIRECTHTML has no limit either: as much as the records of journal and events can carry beside the rest (docs/decisions/0070). */
const REDIRECT_HTML_BYTES = 12 * 1024 * 1024;

/** An empty text holds no page. One expression over alphabet and padding together would be slow on a long text. */
const isBase64 = (text: string): boolean => text.trim() !== '' && !/[^A-Za-z0-9+/_=\s-]/.test(text);

type Said = { [K in 'execCode' | 'transactionId' | 'message' | 'descriptor' | 'redirectHtml']?: string | undefined } & {
  amount?: number | undefined;
};

/** Bounds the platform's texts so that they always fit a journal record; flags mark cut and dropped ones. */
export function boundedAnswer({ transactionId, amount, redirectHtml, ...texts }: Said): PlatformAnswer {
  const answer: PlatformAnswer = {};
  const add = (name: keyof typeof texts, characters: number) => {
    const text = texts[name];
    if (text !== undefined) answer[name] = text.slice(0, characters);
    if (text !== undefined && text.length > characters) answer[`${name}Truncated`] = true;
  };
  add('execCode', EXECCODE_CHARACTERS);
  if (transactionId !== undefined && isTransactionId(transactionId)) answer.transactionId = transactionId;
  if (amount !== undefined) answer.amount = amount;
  add('descriptor', DESCRIPTOR_CHARACTERS);
  add('message', MESSAGE_CHARACTERS);
  if (redirectHtml !== undefined) {
    const isShort = Buffer.byteLength(JSON.stringify(redirectHtml)) <= REDIRECT_HTML_BYTES;
    if (isShort && isBase64(redirectHtml)) answer.redirectHtml = redirectHtml;
    else answer.redirectHtmlDropped = true;
  }
  return answer;
}

/** Fields that say what was executed. Of two values of one, none is proved. */
const DECISIVE = /(?:^|\.)(?:EXECCODE|OPERATIONTYPE|TRANSACTIONID)$/;

/** The fields of a JSON object, numbers as they were written; undefined for anything else. An answer has no HASH, so its only protection is HTTPS. */
export function fieldsOfBody(body: string): Record<string, unknown> | undefined {
  try {
    const { json, repeated } = parseJsonWithNames(body);
    if (!isPlainObject(json) || repeated.some(({ path }) => DECISIVE.test(path))) return undefined;
    const texts = withNumbersAsTexts(body);
    return texts === body ? json : (parseJson(texts) as Record<string, unknown>);
  } catch {
    return undefined;
  }
}

/** The fields that are texts or numbers, without the blanks around them. */
export const textsOf = (fields: unknown): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(isPlainObject(fields) ? fields : {}).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' ? [[name, sentValue(name, value)]] : [],
    ),
  );

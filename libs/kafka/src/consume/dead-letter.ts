import { holdsHiddenCardData, isCardFieldName, isCryptogramName, isUnmasked } from '@tranche/contracts';
import type { ProducerRecord } from '../produce/batching-producer.js';
import { isSeveral, type HeaderValue } from '../kafkajs/record-headers.js';
import { allHeaders, type ConsumedRecord } from './consumed-record.js';

export interface DeadLetterReason {
  /** Stable code for programs. */
  code: string;
  /** Text for people. Must not contain a value from the record, which may be a card number. */
  message: string;
  attempts: number;
}

/**
 * Builds a dead letter: the original bytes and headers, plus the origin and the reason. Nobody has validated the record, so a key, value or
 * header that may hold a card number or CVV is left out, and `dead-letter-withheld` names it. The same holds for content that has digits
 * but is not JSON, because we cannot judge it, and for content beyond `MAX_SEARCHED_BYTES`. The original record remains in its topic at the
 * given offset.
 */
export function deadLetter(
  topic: string,
  originalTopic: string,
  record: ConsumedRecord,
  reason: DeadLetterReason,
): ProducerRecord {
  let searchedBytes = 0;
  const isTooLong = (...texts: readonly HeaderValue[]) => {
    const bytes = texts.reduce((sum, text) => sum + (text === null ? 0 : Buffer.byteLength(text)), searchedBytes);
    if (bytes <= MAX_SEARCHED_BYTES) searchedBytes = bytes;
    return bytes > MAX_SEARCHED_BYTES;
  };
  const withheldKey =
    record.rawKey !== null && (isTooLong(record.rawKey) || isCardText(record.rawKey.toString('utf8')));
  const headers = Object.entries(allHeaders(record));
  const kept = headers.filter(([name, given]) => {
    const values = isSeveral(given) ? given : [given];
    return !isTooLong(name, ...values) && !isCardText(name) && !isCardHeader(name, values);
  });
  const withheldValue = record.value !== null && (isTooLong(record.value) || isCardContent(record.value));
  const withheld = [
    ...(withheldKey ? ['key'] : []),
    ...(withheldValue ? ['value'] : []),
    ...(kept.length < headers.length ? ['headers'] : []),
  ];
  return {
    topic,
    key: withheldKey ? null : record.rawKey,
    value: withheldValue ? null : record.value,
    headers: {
      ...Object.fromEntries(kept),
      'dead-letter-topic': originalTopic,
      'dead-letter-partition': String(record.partition),
      'dead-letter-offset': String(record.offset),
      'dead-letter-timestamp': String(record.timestampMs),
      'dead-letter-code': reason.code,
      'dead-letter-message': reason.message.slice(0, 500),
      'dead-letter-attempts': String(reason.attempts),
      ...(withheld.length === 0 ? {} : { 'dead-letter-withheld': withheld.join(' ') }),
    },
  };
}

const DIGIT = /\p{Nd}/u;
/** Bound for key, headers and value together, in this order. A search of 1 MiB may block the process for 1.5 s. */
const MAX_SEARCHED_BYTES = 64 * 1024;
/** Our own messages are nested less deeply. */
const MAX_DEPTH = 20;

function isCardContent(value: Buffer): boolean {
  const text = value.toString('utf8');
  if (!DIGIT.test(text)) return false;
  // The raw text is searched as well, because JSON.parse keeps only the last of several equal names.
  if (isCardText(text) || isDeep(text)) return true;
  try {
    return holdsCardField(JSON.parse(text));
  } catch {
    return true;
  }
}

/** Checked before the text is parsed: a million open brackets would become a million arrays. */
function isDeep(text: string): boolean {
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < text.length && depth <= MAX_DEPTH; at++) {
    const character = text[at];
    if (character === '"') isInText = !isInText;
    else if (isInText) at += character === '\\' ? 1 : 0;
    else if (character === '[' || character === '{') depth++;
    else if (character === ']' || character === '}') depth--;
  }
  return depth > MAX_DEPTH;
}

function holdsCardField(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, child]) => isCardField(name, child) || holdsCardField(child));
}

function isCardHeader(name: string, values: readonly HeaderValue[]): boolean {
  return values.some((value) => {
    const text = value?.toString() ?? '';
    return isCardText(text) || isCardField(name, text);
  });
}

function isCardField(name: string, value: unknown): boolean {
  const isCryptogram = isCryptogramName(name);
  if (!isCryptogram && !isCardFieldName(name)) return false;
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return isCryptogram ? DIGIT.test(text) : isUnmasked(text);
}

/**
 * Searches for numbers of card schemes only. Identifiers and timestamps pass the Luhn check by chance, and withholding them would make the
 * dead letter useless for a later resend.
 */
function isCardText(text: string): boolean {
  return holdsHiddenCardData(text);
}

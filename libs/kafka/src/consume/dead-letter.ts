import { holdsHiddenCardData, isCardFieldName, isCryptogramName, isUnmasked } from '@tranche/contracts';
import type { ProducerRecord } from '../produce/batching-producer.js';
import { isSeveral, type HeaderValue } from '../kafkajs/record-headers.js';
import { allHeaders, type ConsumedRecord } from './consumed-record.js';

export interface DeadLetterReason {
  /** Stable, for machines. */
  code: string;
  /** For people; never a value from the record. */
  message: string;
  attempts: number;
}

/**
 * The original bytes and headers, and beside them where they came from and why they are here. Nobody has checked what the record holds: what
 * carries a card number or a CVV, by name or by value, is left out, and `dead-letter-withheld` names it. So is content that is not JSON and has
 * digits: what they mean cannot be told; and what is longer than what is searched. It is still in its own topic, at the offset named.
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
/** Of key, headers and value together, in this order. A worst text of 1 MiB would take 1.5 s, in which nothing else is done. */
const MAX_SEARCHED_BYTES = 64 * 1024;
/** No message of ours goes as deep. */
const MAX_DEPTH = 20;

function isCardContent(value: Buffer): boolean {
  const text = value.toString('utf8');
  if (!DIGIT.test(text)) return false;
  // As it is written too: JSON.parse keeps the last of equal names.
  if (isCardText(text) || isDeep(text)) return true;
  try {
    return holdsCardField(JSON.parse(text));
  } catch {
    return true;
  }
}

/** Looked at before it is parsed: a million open brackets would become a million arrays. */
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

/** Only numbers of card schemes: identifiers and time-stamps pass the Luhn check by chance, and a dead letter is to be sent again. */
function isCardText(text: string): boolean {
  return holdsHiddenCardData(text, 'reference');
}

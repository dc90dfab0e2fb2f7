import { holdsCardData } from '@tranche/contracts';
import type { ProducerRecord } from '../produce/batching-producer.js';
import type { ConsumedRecord } from './consumed-record.js';

export interface DeadLetterReason {
  /** Stable, for machines. */
  code: string;
  /** For people; never a value from the record. */
  message: string;
  attempts: number;
}

/**
 * The original bytes and headers, and beside them where they came from and why they are here. Nobody has checked what the record holds: what
 * carries a card number or a named CVV is left out, and `dead-letter-withheld` names it.
 */
export function deadLetter(
  topic: string,
  originalTopic: string,
  record: ConsumedRecord,
  reason: DeadLetterReason,
): ProducerRecord {
  const withheldKey = holdsCard(record.rawKey);
  const withheldValue = holdsCard(record.value);
  const headers = Object.entries(record.headers);
  const kept = headers.filter(([name, value]) => !isCardText(name) && !isCardText(value));
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

function holdsCard(bytes: Buffer | null): boolean {
  return bytes !== null && isCardText(bytes.toString('utf8'));
}

/** Only numbers of card schemes: identifiers and time-stamps pass the Luhn check by chance, and a dead letter is to be sent again. */
function isCardText(text: string): boolean {
  return holdsCardData(text, 'reference');
}

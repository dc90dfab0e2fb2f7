import { encodeCloudEvent, isCardFieldName, withoutCardData, type EncodedEvent } from '@tranche/contracts';
import type { Parameters } from '../received-parameters.js';

/** `no_order`: signed, but its ORDERID is missing or unusable. The others are signed with no key that we know. */
export type QuarantineReason = 'hash_mismatch' | 'unknown_identifier' | 'no_order';

export interface Suspect {
  /** Content hash. */
  id: string;
  parameters: Parameters;
  /** RFC 3339. */
  receivedAt: string;
  /** Address of the sender. */
  from: string;
  /** Ours, where IDENTIFIER names one. */
  merchant?: string;
}

/**
 * Everything that was received, in its order, HASH included, so that it can be verified again after a secret was corrected. Only card
 * data that must not be kept is taken out, and `altered` says so.
 */
export function quarantineRecord(
  reason: QuarantineReason,
  { id, parameters, receivedAt, from, merchant }: Suspect,
): EncodedEvent {
  const kept = parameters
    .filter(([name]) => !isCryptogramName(name))
    .map(([name, value]) => [withoutCardData(name, 'prose'), withoutCardNumber(name, value)] as const);
  const altered =
    kept.length < parameters.length ||
    kept.some(([name, value], at) => parameters[at]?.[0] !== name || parameters[at]?.[1] !== value);
  return encodeCloudEvent({
    id,
    source: 'notification-ingest',
    type: 'payment.notification.quarantined',
    time: receivedAt,
    data: { reason, merchant, from, receivedAt, altered, parameters: kept },
  });
}

/** However it is written: `CARDCVV`, `card-cvc`, `securityCode`. */
const CRYPTOGRAM = /cvv|cvc|cvn|csc|cryptogram|securitycode/;

function isCryptogramName(name: string): boolean {
  return isCardFieldName(name) && CRYPTOGRAM.test(plainName(name));
}

/** The platform masks it before it sends; what comes from elsewhere may not be masked. */
const UNMASKED = /\d(?:\D?\d){10}/;
/** Numbers of the platform and of ours are at home there, and one in ten looks like a card's: only those of card schemes are masked. */
const REFERENCES = /id$|^hash$|reference|date|time|amount|extradata|phone|identifier/;

function withoutCardNumber(name: string, value: string): string {
  if (isCardFieldName(name) && UNMASKED.test(value)) return value.replace(/\d(?=(?:\D*\d){4})/g, 'X');
  return withoutCardData(value, REFERENCES.test(plainName(name)) ? 'reference' : 'prose');
}

function plainName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
}

import {
  CARD_PARAMETERS,
  encodeCloudEvent,
  EXTERNAL_PARAMETERS,
  isCardFieldName,
  isCryptogramName,
  isUnmasked,
  maskedCode,
  NOTIFICATION_PARAMETERS,
  withoutHiddenCardData,
  type EncodedEvent,
} from '@tranche/contracts';
import type { Parameter, Parameters } from '@tranche/platform';

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
 * What was received, in its order, HASH included, so that it can be verified again after a secret was corrected; a pair that is not UTF-8 with its
 * bytes. Card data that must not be
 * kept is taken out, and `altered` says so. If no merchant has the IDENTIFIER, only the names of the parameters are kept, unless all of them are
 * parameters of a notification and none looks like card data: it can then be verified again after the identifier was corrected.
 */
export function quarantineRecord(
  reason: QuarantineReason,
  { id, parameters, receivedAt, from, merchant }: Suspect,
): EncodedEvent {
  const clean = parameters
    .filter(([name]) => !isCryptogramName(name))
    .map((pair) => [withoutHiddenCardData(pair[0], 'prose'), cleanValueOf(pair)] as const);
  const altered =
    clean.length < parameters.length ||
    clean.some(([name, value], at) => parameters[at]?.[0] !== name || parameters[at]?.[1] !== value);
  const isForeign =
    reason === 'unknown_identifier' && (altered || !parameters.every(([name]) => OF_NOTIFICATIONS.has(name)));
  const kept = isForeign
    ? parameters.map(([name]) => [withoutHiddenCardData(name, 'prose'), ''])
    : altered
      ? clean
      : parameters;
  return encodeCloudEvent({
    id,
    source: 'notification-ingest',
    type: 'payment.notification.quarantined',
    time: receivedAt,
    data: { reason, merchant, from, receivedAt, altered: altered || isForeign, parameters: kept },
  });
}

const OF_NOTIFICATIONS: ReadonlySet<string> = new Set([
  ...NOTIFICATION_PARAMETERS,
  ...EXTERNAL_PARAMETERS,
  ...CARD_PARAMETERS,
]);

/** Numbers of the platform and of ours are at home there, and one in ten looks like a card's: only those of card schemes are masked. */
const REFERENCES = /id$|^hash$|reference|date|time|amount|extradata|phone|identifier/;

/** A HASH has digits of its own, and without it nothing can be verified again. */
const HASH = /^[0-9a-f]{64}$/;

/** A value that is UTF-8 but for a byte hides in its own reading what stands between the digits: it is searched as UTF-8 too. */
function cleanValueOf([name, value, sent]: Parameter): string {
  const clean = withoutCardNumber(name, value);
  if (sent === undefined || clean !== value) return clean;
  const asUtf8 = Buffer.from(sent.value, 'latin1').toString('utf8');
  const cleanAsUtf8 = withoutCardNumber(name, asUtf8);
  return cleanAsUtf8 === asUtf8 ? value : cleanAsUtf8;
}

function withoutCardNumber(name: string, value: string): string {
  if (name === 'HASH' && HASH.test(value)) return value;
  if (isCardFieldName(name) && isUnmasked(value)) return withoutHiddenCardData(maskedCode(value), 'prose');
  return withoutHiddenCardData(value, REFERENCES.test(plainName(name)) ? 'reference' : 'prose');
}

function plainName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
}

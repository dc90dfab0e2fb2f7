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

/** `no_order`: signed, but its ORDERID is missing or unusable. The other two fit no key of ours. */
export type QuarantineReason = 'hash_mismatch' | 'unknown_identifier' | 'no_order';

export interface Suspect {
  /** Content hash. */
  id: string;
  parameters: Parameters;
  /** RFC 3339. */
  receivedAt: string;
  /** Address of the sender. */
  from: string;
  /** Our name of the merchant; undefined if IDENTIFIER is unknown. */
  merchant?: string;
}

/**
 * Encodes the received parameters in their order, with HASH, so that they can be verified again after a key was corrected. A pair that is
 * not UTF-8 keeps its bytes. Card data is removed or masked, and `altered` is then true. If IDENTIFIER is unknown we keep only the names
 * of the parameters, because the values may be anybody's data; unless every name belongs to a notification and nothing looks like card
 * data, so that it can be verified again after the identifier was corrected.
 */
export function quarantineRecord(
  reason: QuarantineReason,
  { id, parameters, receivedAt, from, merchant }: Suspect,
): EncodedEvent {
  const clean = parameters
    .filter(([name]) => !isCryptogramName(name))
    .map((pair) => [withoutHiddenCardData(pair[0]), cleanValueOf(pair)] as const);
  const altered =
    clean.length < parameters.length ||
    clean.some(([name, value], at) => parameters[at]?.[0] !== name || parameters[at]?.[1] !== value);
  const isForeign =
    reason === 'unknown_identifier' && (altered || !parameters.every(([name]) => OF_NOTIFICATIONS.has(name)));
  const kept = isForeign ? parameters.map(([name]) => [withoutHiddenCardData(name), '']) : altered ? clean : parameters;
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

/** HASH may contain a digit sequence that looks like a card number. Masking it would make verification impossible. */
const HASH = /^\s*[0-9a-f]{64}\s*$/i;

/**
 * A value that is not UTF-8 was decoded as one character per byte, which can split the separators between the digits of a card number. So
 * we search its UTF-8 reading too.
 */
function cleanValueOf([name, value, sent]: Parameter): string {
  const clean = withoutCardNumber(name, value);
  if (sent === undefined || clean !== value) return clean;
  const asUtf8 = Buffer.from(sent.value, 'latin1').toString('utf8');
  const cleanAsUtf8 = withoutCardNumber(name, asUtf8);
  return cleanAsUtf8 === asUtf8 ? value : cleanAsUtf8;
}

function withoutCardNumber(name: string, value: string): string {
  if (name === 'HASH' && HASH.test(value)) return value;
  if (isCardFieldName(name) && isUnmasked(value)) return withoutHiddenCardData(maskedCode(value));
  return withoutHiddenCardData(value);
}

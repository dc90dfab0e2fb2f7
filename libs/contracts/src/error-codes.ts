import { amountLimitsInWords } from './methods.js';

/**
 * All stable codes of faults and rejections. `docs/reference/fault-codes.md` is generated from them.
 * `field`: a message or file has an invalid part. `rule`: the message is valid, but a rule refuses it and nothing was executed. `state`:
 * the state of the order does not allow it. `service`: the command is valid but could not be executed.
 */
const CODES = {
  field: {
    required: 'A field that must be there is missing.',
    unknown_field: 'A field that this message does not have. Commands accept no unknown fields.',
    type: 'A value of another JSON type than the field has; null is not "absent".',
    length:
      'A text with fewer or more characters (Unicode code points) than allowed or of blanks only, or a list with too few items.',
    format:
      'A text that is not in the format of its field (date, e-mail, phone, public IPv4, country or URL), or holds a character that nobody sees: a control, a zero-width character or a change of direction.',
    enum: 'A value that is not one of the values of its field.',
    range: 'A number below or above its limits, or not an integer.',
    card_data_forbidden:
      'The message carries card data: a field for it, or a card number of a scheme in a free text. It is refused and never logged.',
    total_mismatch: 'totalAmount of a cart item is not price × quantity, within the tolerance that the merchant has.',
    too_many_faults: 'There are more faults than are listed; correct these first.',
    duplicate:
      'A name, identifier or key id that must be unique is there twice; also a name twice in one JSON object, with or without escapes.',
    unreadable_file: 'A file that the configuration names is missing, unreadable or not JSON.',
    malformed_envelope: 'The CloudEvents envelope or the JSON inside is missing something or unreadable.',
    unknown_type: 'The message type is not one that is taken here.',
  },
  rule: {
    unknown_merchant: 'The merchant is not configured.',
    key_mismatch: 'The record key is not merchant/orderId of the command.',
    signature_refused:
      'The merchant demands signed commands, and the signature is missing or no key of the merchant has made it.',
    id_reused: 'A command with this id and other content was accepted before.',
    command_too_old: 'The command is older than 7 days, by its own time or by that at which Kafka took it.',
    time_ahead: 'The ce_time of the command is more than 5 minutes after Kafka took it.',
    not_after_passed: "The command's own notAfter has passed.",
    method_not_on_rail: 'The payment option or operation does not belong to this command topic.',
    amount_out_of_range: `The amount is outside the limits of the method (${amountLimitsInWords()}).`,
    option_not_in_market: "The payment option is not offered in the merchant's market.",
    phone_not_in_market: "A phone number is not in the form that the merchant's market demands.",
    not_express: 'DELIVERYSPEED is express, and the delivery takes 48 hours or more.',
    currency_not_of_merchant: 'The currency is not that of the merchant’s account.',
    return_page_unknown: 'The returnPage is not one of the return pages that the merchant allows.',
    public_api_key: 'The apiKeyId is of type Public: such a key is for pages and never signs.',
    unknown_api_key: 'The apiKeyId is not configured for the merchant.',
    void_not_offered: 'The method has no void.',
    not_an_authorization: 'Only authorizations can be captured or voided.',
    not_a_capture: 'Only captures can be refunded.',
    hftoken_expired: 'The card token is older than 15 minutes.',
  },
  state: {
    transaction_unknown: 'The command names no transaction and the order has none that fits.',
    transaction_ambiguous:
      'The command names no transaction and several of the order fit; the message names them. Send it again with a transactionId.',
    capture_not_succeeded: 'The capture or card payment to refund has not succeeded.',
    authorization_not_succeeded: 'The authorization to capture or void has failed.',
    authorization_live: 'The order has a live authorization or card payment already.',
    already_captured: 'The authorization was captured before: one capture per authorization.',
    already_voided: 'The authorization was voided before.',
    capture_exceeds_authorization: 'The amount is above the authorized amount.',
    refund_exceeds_remaining: 'The amount is above what remains to be refunded.',
    nothing_to_refund: 'The order has no successful capture or card payment to refund.',
    order_in_doubt: 'An operation of the order is in doubt; until that is resolved no other is sent.',
    too_many_operations: 'The order has 200 operations: it takes no further one.',
    order_frozen:
      'A journal record of the order could not be read and was skipped, a snapshot contradicts its records, or more than 200 operations that no command asked for were reported of it: nothing is sent for it any more.',
    superseded_not_live:
      'The command that supersedes names is not a redirect of this order that waits for its cardholder.',
  },
  service: {
    platform_unavailable:
      'The platform did not take the operation in time. Nothing was executed; try again with a new command id.',
    auth_refused: 'The access token was refused. Nothing was executed.',
  },
} as const;

type Kind = keyof typeof CODES;
export type FaultCode = { [K in Kind]: keyof (typeof CODES)[K] }[Kind];

export const ERROR_CODES = Object.fromEntries(
  Object.entries(CODES).flatMap(([kind, codes]) =>
    Object.entries(codes).map(([code, meaning]) => [code, { kind, meaning }]),
  ),
) as Readonly<Record<FaultCode, { kind: Kind; meaning: string }>>;

export function isFaultCode(code: string): code is FaultCode {
  return Object.hasOwn(ERROR_CODES, code);
}

/** One fault of a message. */
export interface Fault {
  /** Path of the field, for example `billing.postalCode` or `cart[0].price`; empty for the whole message. */
  path: string;
  /** Stable code for programs. */
  code: FaultCode;
  /** Text for people. It never contains the offending value. */
  message: string;
}

export function fault(path: string, code: FaultCode, message: string): Fault {
  return { path, code, message };
}

/** Joins `a` and `b` to `a.b`. An index (`[0]`) is appended without a dot. */
export function joinPath(parent: string, child: string): string {
  return parent === '' || child === '' || child.startsWith('[') ? parent + child : `${parent}.${child}`;
}

import { ERROR_CODES, isFaultCode, type FaultCode, type SignatureProblem } from '@tranche/contracts';

/** Advice beyond the fault's own message, which says what the field must be. */
const OF_CODE: Partial<Record<FaultCode, string>> = {
  required: 'add the field; the schema of the command says what it holds',
  unknown_field: 'take the field out: a command has the fields of its schema only',
  type: 'write the value as the JSON type that the schema names; leave an absent field out, do not write null',
  malformed_envelope:
    'send the CloudEvents attributes id, source, type, time and specversion 1.0, each as a header `ce_…` or all in the value, and the data as plain JSON in UTF-8',
  duplicate: 'send the header once; a producer that copies the headers of a record that it read adds its own to them',
  unknown_type: 'set ce_type to payment.authorize, payment.pay, payment.capture, payment.refund or payment.void',
  unknown_merchant: 'correct the merchant, or add it to MERCHANTS_FILE of every service and restart them',
  key_mismatch: 'set the record key to merchant/orderId, as in the content; it decides the partition too',
  time_ahead: 'correct the clock of the publisher, or send ce_time in UTC',
  command_too_old: 'look what became of the operation first; if nothing, publish it with a new id and time',
  not_after_passed: 'ask the buyer again, and publish a new command with a later notAfter',
  hftoken_expired: 'encrypt the card again; publish within 15 minutes of that',
  card_data_forbidden: 'take the card data out at its source: a command never carries it, and treat this as a leak',
  method_not_on_rail: 'publish it to the command topic of its payment method',
  void_not_offered: 'refund the capture, or let the authorization expire',
  currency_not_of_merchant:
    'send it in the name of a merchant whose account has it: MERCHANTS_FILE has an entry, with IDENTIFIER and `currency`, for each',
  option_not_in_market: 'offer only the options of the merchant’s market',
  unknown_api_key: 'send an id of `apiKeys` of the merchant in MERCHANTS_FILE, or leave it out',
  public_api_key: 'send the id of a Private key, or leave it out',
  return_page_unknown: 'add it to `returnPages` of the merchant in MERCHANTS_FILE, or leave it out',
};

export function adviceFor(code: string): string {
  if (!isFaultCode(code)) return 'correct the field';
  const { kind, meaning } = ERROR_CODES[code];
  return OF_CODE[code] ?? (kind === 'field' ? 'correct the field as the message says' : meaning);
}

export const SIGNATURE_ADVICE: Record<SignatureProblem, string> = {
  missing:
    'sign it: the merchant has requireSignatures; `signing` of @tranche/client, `tranche commands sign`, or examples/python, java and go',
  malformed:
    'send one header `tranche-signature` as HEADER..SIGNATURE, both in base64url, with {"alg":"EdDSA","kid":"…"} alone as header',
  unknown_key: 'add the public key under this kid to `publisherKeys` of the merchant, or sign with a kid that is there',
  key_revoked: 'sign with another key of the merchant: `revokedAt` of this one has passed',
  key_not_valid_then:
    'sign with a key that was valid at ce_time and when Kafka took the command: see notBefore and notAfter of its entry',
  does_not_match:
    'sign the bytes that are sent, for the topic with its prefix, this key, and ENVIRONMENT_ID of this gateway, with the private key of this kid',
};

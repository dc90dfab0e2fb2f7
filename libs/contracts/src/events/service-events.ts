import { fault } from '../faults.js';
import { AUTH_EVENT_TYPES, CSE_EVENT_TYPES } from '../message-types.js';
import { check, type Checked } from '../validation/check.js';
import { AnyText, Int, Optional } from '../validation/fields.js';

/** Data of an event of `auth.events.v1` about an account's access token. It never contains the token. */
export class AuthEvent {
  @AnyText()
  account!: string;

  /** Short hash of the token that distinguishes it from others. */
  @Optional()
  @AnyText()
  fingerprint?: string;

  @Optional()
  @Int(0)
  expiresInSeconds?: number;

  @Optional()
  @AnyText()
  reason?: string;
}

/** Data of an event of `cse.events.v1` about a key for client-side encryption (CSE). */
export class CseEvent {
  @AnyText()
  apiKeyId!: string;

  @Optional()
  @AnyText()
  encryptionKeyId?: string;

  /** SHA-256 of the public key's DER bytes, hexadecimal. */
  @Optional()
  @AnyText()
  fingerprint?: string;

  @Optional()
  @AnyText()
  reason?: string;
}

export function validateAuthEventData(type: string, data: unknown): Checked<AuthEvent> {
  const isKnown = (AUTH_EVENT_TYPES as readonly string[]).includes(type);
  return isKnown
    ? check(AuthEvent, data, 'ignored')
    : { faults: [fault('type', 'unknown_type', 'is not an event type of auth-service')] };
}

export function validateCseEventData(type: string, data: unknown): Checked<CseEvent> {
  const isKnown = (CSE_EVENT_TYPES as readonly string[]).includes(type);
  return isKnown
    ? check(CseEvent, data, 'ignored')
    : { faults: [fault('type', 'unknown_type', 'is not an event type of cse-token-service')] };
}

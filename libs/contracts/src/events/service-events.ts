import { fault } from '../error-codes.js';
import { AUTH_EVENT_TYPES, CSE_EVENT_TYPES } from '../message-types.js';
import { check, type Checked } from '../validation/check.js';
import { Doc } from '../validation/doc.js';
import { AnyText, Int, Optional, OptionalText } from '../validation/fields.js';

@Doc("Data of an event about an account's access token. It never holds the token.")
export class AuthEvent {
  @Doc('Account in the configuration of auth-service.', 'platform')
  @AnyText()
  account!: string;

  @OptionalText('Short hash of the token, to tell tokens apart.', '3f1a9c0d5b7e2846')
  fingerprint?: string;

  @Doc('Seconds for which the token is valid from the event on.', 43200)
  @Optional()
  @Int(0)
  expiresInSeconds?: number;

  @OptionalText('Why the token was refused or dropped.', 'reported as refused')
  reason?: string;
}

@Doc('Data of an event about a key for client-side encryption.')
export class CseEvent {
  @Doc('Public API key for which the key provider gave the key.', '00000000-0000-4000-8000-000000000001')
  @AnyText()
  apiKeyId!: string;

  @OptionalText('Id of the encryption key.', 'key-2027-03')
  encryptionKeyId?: string;

  @OptionalText(
    'SHA-256 of the DER bytes of the public key, in hexadecimal.',
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  )
  fingerprint?: string;

  @OptionalText('Why the key was refused.', 'shorter than 2048 bits')
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

import { Capture, Refund, VoidAuthorization } from './commands/follow-ups.js';
import { PAYMENT_CLASSES } from './commands/validate-command.js';
import { AuditRecord } from './events/audit-record.js';
import { JobRecord } from './events/job-record.js';
import { PaymentEvent } from './events/payment-event.js';
import { AuthEvent, CseEvent } from './events/service-events.js';
import { PaymentNotification } from './notifications/payment-notification.js';
import {
  AccessTokenRecord,
  EncryptionKeyRecord,
  EncryptionKeyRequest,
  TokenizerRecord,
  TokenizerRequest,
} from './platform/records.js';
import type { UnknownFields } from './validation/check.js';
import type { MessageClass } from './validation/doc.js';

/** A message with its own JSON Schema in `schemas/NAME.json`. */
export interface SchemaSource {
  readonly name: string;
  readonly type: MessageClass;
  readonly unknown: UnknownFields;
}

/** The `$id` of a schema. It names the schema; nothing is to be fetched there. A change that an older reader or writer would not survive needs v2. */
export const schemaId = ({ name }: SchemaSource): string => `urn:tranche:schema:${name}:v1`;

export const SCHEMA_SOURCES: readonly SchemaSource[] = [
  ...Object.entries<MessageClass>(PAYMENT_CLASSES).map(([name, type]) => ({ name, type, unknown: 'refused' as const })),
  { name: 'capture', type: Capture, unknown: 'refused' },
  { name: 'refund', type: Refund, unknown: 'refused' },
  { name: 'void-authorization', type: VoidAuthorization, unknown: 'refused' },
  { name: 'payment-event', type: PaymentEvent, unknown: 'ignored' },
  { name: 'payment-notification', type: PaymentNotification, unknown: 'ignored' },
  { name: 'auth-event', type: AuthEvent, unknown: 'ignored' },
  { name: 'cse-event', type: CseEvent, unknown: 'ignored' },
  { name: 'audit-record', type: AuditRecord, unknown: 'ignored' },
  { name: 'job-record', type: JobRecord, unknown: 'ignored' },
  { name: 'access-token-record', type: AccessTokenRecord, unknown: 'ignored' },
  { name: 'encryption-key-request', type: EncryptionKeyRequest, unknown: 'refused' },
  { name: 'encryption-key-record', type: EncryptionKeyRecord, unknown: 'ignored' },
  { name: 'tokenizer-request', type: TokenizerRequest, unknown: 'refused' },
  { name: 'tokenizer-record', type: TokenizerRecord, unknown: 'ignored' },
];

import { RAILS } from '../methods.js';
import { MERCHANT_PATTERN } from '../topics.js';
import { check, type Checked } from '../validation/check.js';
import { Doc } from '../validation/doc.js';
import { Optional, OptionalText, Text, Timestamp } from '../validation/fields.js';

export const CONTROL_TYPE = 'operations.control.changed';

/** `rail:NAME` or `merchant:NAME`. */
export const CONTROL_SCOPE_PATTERN = new RegExp(
  `^(?:rail:(?:${RAILS.join('|')})|merchant:${MERCHANT_PATTERN.source.slice(1, -1)})$`,
);

/** Longest reason of an operator. */
const REASON_MAX = 500;

@Doc(
  'A stop of the intake: the gateways begin no command of the rail or merchant until it is lifted or has expired. The newest record of a scope counts; its key is the scope.',
)
export class ControlRecord {
  @Doc('The rail or the merchant that is stopped.', 'rail:partner-b')
  @Text(1, 64, { pattern: CONTROL_SCOPE_PATTERN, says: 'rail:NAME or merchant:NAME' })
  scope!: string;

  @Doc('Why it was stopped.', 'the partner asked for it, call 17')
  @Text(1, REASON_MAX)
  reason!: string;

  @Doc('Person who stopped it.', 'anna')
  @Text(1, 255)
  by!: string;

  @Doc('When it was stopped.', '2027-03-01T10:00:00Z')
  @Timestamp()
  since!: string;

  @Doc('When it ends by itself. Absent if it lasts until it is lifted.', '2027-03-01T12:00:00Z')
  @Optional()
  @Timestamp()
  expiresAt?: string;

  @Doc('When it was lifted.', '2027-03-01T11:00:00Z')
  @Optional()
  @Timestamp()
  liftedAt?: string;

  @OptionalText('Person who lifted it.', 'bernard')
  liftedBy?: string;
}

export const validateControlRecord = (data: unknown): Checked<ControlRecord> => check(ControlRecord, data, 'ignored');

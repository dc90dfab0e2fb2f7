import 'reflect-metadata';

export * from './topics.js';
export * from './reason.js';
export * from './content-hash.js';
export * from './error-codes.js';
export * from './validation/texts.js';
export * from './validation/json-names.js';
export * from './methods.js';
export * from './message-types.js';
export * from './entries-file.js';
export * from './extra-data.js';
export * from './cloud-events.js';
export * from './waiting-commands.js';
export * from './merchants.js';
export * from './signatures/command-signature.js';
export * from './commands/card-payment.js';
export * from './commands/follow-ups.js';
export * from './commands/partner-a-authorization.js';
export * from './commands/partner-b-authorization.js';
export * from './commands/validate-command.js';
export * from './commands/merchant-rules.js';
export * from './commands/judge-command.js';
export { MAX_CART_ITEMS } from './payment-fields.js';
export * from './events/audit-record.js';
export * from './events/control-record.js';
export * from './events/job-record.js';
export * from './events/event-requirements.js';
export * from './events/payment-event.js';
export * from './events/service-events.js';
export * from './notifications/payment-notification.js';
export * from './notifications/read-notification.js';
export * from './platform/platform-results.js';
export * from './platform/enums.js';
export * from './platform/execcodes.js';
export * from './platform/records.js';
export * from './schemas.js';
export * from './examples.js';
export * from './messages.js';
export {
  TEXT_SCANS,
  holdsCardData,
  isCardFieldName,
  isUnmasked,
  maskedCode,
  type TextScan,
} from './validation/card-data.js';
export { holdsHiddenCardData, isCryptogramName, withoutHiddenCardData } from './validation/hidden-card-data.js';
export { check, fieldsOf, type Checked, type UnknownFields } from './validation/check.js';
export { docOf, SHARED_FORMATS } from './validation/doc.js';
export {
  FIELD_RULE,
  isPlainObject,
  REQUIREMENTS,
  THERE_RULE,
  type CommandRules,
  type Requirements,
} from './validation/fields.js';

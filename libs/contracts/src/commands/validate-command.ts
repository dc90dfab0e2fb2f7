import { fault } from '../faults.js';
import { isCommandType, type CommandType } from '../message-types.js';
import type { Rail } from '../topics.js';
import { check, type Checked } from '../validation/check.js';
import type { MessageClass } from '../validation/fields.js';
import { CardPayment } from './card-payment.js';
import { Capture, Refund, VoidAuthorization } from './follow-ups.js';
import { PartnerAAuthorization } from './partner-a-authorization.js';
import { PartnerBAuthorization } from './partner-b-authorization.js';

export type Authorization = PartnerAAuthorization | PartnerBAuthorization;
export type CommandData = Authorization | Capture | Refund | VoidAuthorization | CardPayment;

const FOLLOW_UPS = { 'payment.capture': Capture, 'payment.refund': Refund } as const;

const CLASSES: Readonly<Record<Rail, Readonly<Partial<Record<CommandType, MessageClass<CommandData>>>>>> = {
  'partner-a': { 'payment.authorize': PartnerAAuthorization, ...FOLLOW_UPS, 'payment.void': VoidAuthorization },
  'partner-b': { 'payment.authorize': PartnerBAuthorization, ...FOLLOW_UPS },
  card: { 'payment.pay': CardPayment, ...FOLLOW_UPS, 'payment.void': VoidAuthorization },
};

/** The class of a command's data on a rail; undefined where the rail does not take the type. */
export function commandClass(rail: Rail, type: CommandType): MessageClass<CommandData> | undefined {
  return CLASSES[rail][type];
}

/** Never throws. All faults at once, with paths; unknown fields and card data are refused; no message holds a value. */
export function validateCommandData(rail: Rail, type: string, data: unknown): Checked<CommandData> {
  if (!isCommandType(type)) return { faults: [fault('type', 'unknown_type', 'is not a command type')] };
  const commandType = commandClass(rail, type);
  if (commandType === undefined && type === 'payment.void') return { faults: [fault('type', 'void_not_offered', 'method B has no void')] };
  if (commandType === undefined) return { faults: [fault('type', 'method_not_on_rail', `${type} is not taken on the rail ${rail}`)] };
  return check(commandType, data, 'refused');
}

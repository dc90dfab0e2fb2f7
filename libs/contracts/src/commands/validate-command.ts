import { fault } from '../error-codes.js';
import { isCommandType, type CommandType } from '../message-types.js';
import { METHOD_NAMES, methodOfRail, METHODS, type Method, type Rail } from '../methods.js';
import { check, type Checked, fieldsOf } from '../validation/check.js';
import type { CommandRules } from '../validation/fields.js';
import type { MessageClass } from '../validation/doc.js';
import { CardPayment } from './card-payment.js';
import { Capture, Refund, VoidAuthorization } from './follow-ups.js';
import { PartnerAAuthorization } from './partner-a-authorization.js';
import { PartnerBAuthorization } from './partner-b-authorization.js';

/** Message classes of the commands that start a payment, by the names in the method table. Schemas and types are derived from them. */
export const PAYMENT_CLASSES = {
  'partner-a-authorization': PartnerAAuthorization,
  'partner-b-authorization': PartnerBAuthorization,
  'card-payment': CardPayment,
} as const satisfies Readonly<Record<(typeof METHODS)[Method]['fields'], MessageClass>>;

export const COMMAND_CLASSES: readonly MessageClass[] = [
  ...Object.values<MessageClass>(PAYMENT_CLASSES),
  ...[Capture, Refund, VoidAuthorization],
];

type Payment = InstanceType<(typeof PAYMENT_CLASSES)[keyof typeof PAYMENT_CLASSES]>;
export type Authorization = Exclude<Payment, CardPayment>;
export type CommandData = Payment | Capture | Refund | VoidAuthorization;

type ClassesOfRail = Readonly<Partial<Record<CommandType, MessageClass<CommandData>>>>;

function classesOf(method: Method): ClassesOfRail {
  const { begins, fields, takesVoid } = METHODS[method];
  const classes = {
    [`payment.${begins}`]: PAYMENT_CLASSES[fields],
    'payment.capture': Capture,
    'payment.refund': Refund,
  };
  return takesVoid ? { ...classes, 'payment.void': VoidAuthorization } : classes;
}

const CLASSES = Object.fromEntries(METHOD_NAMES.map((name) => [METHODS[name].rail, classesOf(name)])) as Readonly<
  Record<Rail, ClassesOfRail>
>;

/** The message class of a command type on a rail; undefined if the rail does not accept the type. */
export function commandClass(rail: Rail, type: CommandType): MessageClass<CommandData> | undefined {
  return CLASSES[rail][type];
}

/**
 * Returns an instance of the command's class, or all faults with paths; never throws. Unknown fields and card data are faults. A fault's
 * message never contains the value. `rules` are the merchant's; without them the defaults of `CommandRules` apply.
 */
export function validateCommandData(
  rail: Rail,
  type: string,
  data: unknown,
  rules?: CommandRules,
): Checked<CommandData> {
  if (!isCommandType(type)) return { faults: [fault('type', 'unknown_type', 'is not a command type')] };
  const commandType = commandClass(rail, type);
  if (commandType === undefined && type === 'payment.void')
    return { faults: [fault('type', 'void_not_offered', `method ${methodOfRail(rail)} has no void`)] };
  if (commandType === undefined)
    return { faults: [fault('type', 'method_not_on_rail', `${type} is not taken on the rail ${rail}`)] };
  return check(commandType, data, 'refused', rules);
}

const PARTS = ['client', 'billing', 'shipping'] as const;

/** Names of all fields about a person, over all commands, by part of the command. Logs must not contain their values. */
export const PERSONAL_FIELDS = Object.fromEntries(
  PARTS.map((part) => {
    const fields = Object.values(PAYMENT_CLASSES).flatMap(fieldsOf);
    const classes = fields.flatMap(({ name, nested }) => (name === part && nested ? [nested] : []));
    return [part, new Set(classes.flatMap(fieldsOf).map(({ name }) => name))];
  }),
) as unknown as Readonly<Record<(typeof PARTS)[number], ReadonlySet<string>>>;

/** Maximum lengths, in Unicode code points, of the texts of client, billing and shipping: `customerLimits('B').billing.address` is 38. */
export function customerLimits(
  method: Method,
): Readonly<Record<(typeof PARTS)[number], Readonly<Record<string, number>>>> {
  const fields = fieldsOf(PAYMENT_CLASSES[METHODS[method].fields]);
  const limitsOf = (part: string) => {
    const type = fields.find(({ name }) => name === part)?.nested;
    const texts = type === undefined ? [] : fieldsOf(type);
    return Object.fromEntries(
      texts.flatMap(({ name, maxLength }) => (maxLength === undefined ? [] : [[name, maxLength]])),
    );
  };
  return { client: limitsOf('client'), billing: limitsOf('billing'), shipping: limitsOf('shipping') };
}

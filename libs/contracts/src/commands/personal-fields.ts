import { fieldsOf } from '../validation/check.js';
import { METHODS, type Method } from '../methods.js';
import { PAYMENT_CLASSES } from './validate-command.js';

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

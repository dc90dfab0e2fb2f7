import { fieldsOf } from '../validation/check.js';
import { PAYMENT_CLASSES } from './validate-command.js';

/** The parts of a command that are about a person. */
const PARTS = ['client', 'billing', 'shipping'] as const;

/** Every field of these parts, over all commands. Logs show none of them. */
export const PERSONAL_FIELDS = Object.fromEntries(
  PARTS.map((part) => {
    const fields = Object.values(PAYMENT_CLASSES).flatMap(fieldsOf);
    const classes = fields.flatMap(({ name, nested }) => (name === part && nested ? [nested] : []));
    return [part, new Set(classes.flatMap(fieldsOf).map(({ name }) => name))];
  }),
) as unknown as Readonly<Record<(typeof PARTS)[number], ReadonlySet<string>>>;

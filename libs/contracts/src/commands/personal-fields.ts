import { fieldsOf } from '../validation/check.js';
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

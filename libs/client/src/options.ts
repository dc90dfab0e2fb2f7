import { BROKER_ADDRESS, BROKER_ADDRESS_RULE } from '@tranche/runtime';
import { ENVIRONMENT_ID_PATTERN, isEventType, KID_PATTERN, signCommand, type SigningKey } from '@tranche/contracts';

/** Returns the faults of an option's value, each to be read behind the option's name. */
export type Rule = (value: unknown) => string[];

/**
 * Options come from JavaScript and from environments too, where no compiler has looked at them.
 * @throws TypeError that names every fault, and every option that there is not
 */
export function checkOptions<T extends object>(
  what: string,
  options: T,
  rules: { readonly [K in keyof Required<T>]: Rule },
  required: readonly (keyof T & string)[] = [],
): void {
  if (!isObject(options)) throw new TypeError(`${what} needs options, with ${required.join(' and ')}`);
  const known: Readonly<Record<string, Rule>> = rules;
  const faults = [...new Set([...required, ...Object.keys(options)])].flatMap((name) => {
    const value: unknown = options[name as keyof T];
    if (!Object.hasOwn(rules, name)) return [`${name} is not one of ${Object.keys(rules).join(', ')}`];
    if (value === undefined) return (required as readonly string[]).includes(name) ? [`${name} is required`] : [];
    return known[name]!(value).map((fault) => `${name}${fault}`);
  });
  if (faults.length > 0) throw new TypeError(`the options of ${what} have faults: ${faults.join('; ')}`);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const rule =
  (says: string, isFine: (value: unknown) => boolean): Rule =>
  (value) =>
    isFine(value) ? [] : [` ${says}`];
const matching = (pattern: RegExp, says: string) =>
  rule(says, (value) => typeof value === 'string' && pattern.test(value));
const isNumber = (value: unknown, least: number) => typeof value === 'number' && value >= least && value <= MAX_MS;

/** A timer takes no longer time. */
const MAX_MS = 2 ** 31 - 1;
const MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer'];

export const TEXT = matching(/./, 'must be a text that is not empty');
export const PREFIX = matching(/^[\w.-]{0,64}$/, 'may hold letters, digits, dots, dashes and underscores only');
export const MILLISECONDS = rule('must be a number of milliseconds, at least 0', (value) => isNumber(value, 0));
export const COUNT = rule('must be an integer of at least 1', (value) => Number.isInteger(value) && isNumber(value, 1));
export const FUNCTION = rule('must be a function', (value) => typeof value === 'function');
export const LIST = rule('must be a list', Array.isArray);
export const withMethods = (...names: string[]) =>
  rule(`must be an object with ${names.join(', ')}`, (value) => names.every((name) => isMethod(value, name)));
const isMethod = (of: unknown, name: string) => typeof (of as Record<string, unknown> | null)?.[name] === 'function';

export const BROKERS = rule(`must be a list of host:port, ${BROKER_ADDRESS_RULE}`, (value) => {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((one) => typeof one === 'string' && BROKER_ADDRESS.test(one))
  );
});
export const SSL = rule('must be true, false or the files', (value) => typeof value === 'boolean' || isObject(value));
export const SASL = rule(`must have a mechanism of ${MECHANISMS.join(', ')}`, (value) => {
  return isObject(value) && MECHANISMS.includes(String(value.mechanism));
});
export const FROM = matching(/^(?:earliest|latest)$/, 'must be earliest or latest');
export const GIVE_UP: Rule = (value) => {
  const { afterAttempts, onGivenUp } = isObject(value) ? value : {};
  return [
    ...COUNT(afterAttempts).map((fault) => `.afterAttempts${fault}`),
    ...FUNCTION(onGivenUp).map((fault) => `.onGivenUp${fault}`),
  ];
};

/** A handler that is no function would be called, and fail, for ever. As with options, undefined is the same as none. */
export const HANDLERS: Rule = (value) => {
  const handlers = isObject(value) ? Object.entries(value).filter(([, handler]) => handler !== undefined) : [];
  if (handlers.length === 0) return [' handles no event: give a function for each wanted type'];
  return handlers.flatMap(([type, handler]) => [
    ...(isEventType(type) ? [] : [` has ${type}, which is no event type`]),
    ...FUNCTION(handler).map((fault) => `['${type}']${fault}`),
  ]);
};

/** Checked at the start; otherwise an unusable key would fail each command. */
export const SIGNING: Rule = (value) => {
  const { kid, environmentId, privateKey } = (isObject(value) ? value : {}) as Partial<SigningKey>;
  return [
    ...matching(KID_PATTERN, '.kid must be the name of the key in publisherKeys')(kid || undefined),
    ...(environmentId === undefined ? [] : matching(ENVIRONMENT_ID_PATTERN, ENVIRONMENT_ID)(environmentId)),
    ...(canSign(privateKey)
      ? []
      : ['.privateKey must be an Ed25519 private key, as PEM (its text, no path) or KeyObject']),
  ].map((fault) => fault.trimStart());
};
const ENVIRONMENT_ID = '.environmentId must be 1 to 32 lower-case letters, digits and hyphens';

function canSign(privateKey: unknown): boolean {
  try {
    const key = { kid: 'k', privateKey } as SigningKey;
    return signCommand({ topic: '', key: null, headers: {}, value: null }, key) !== '';
  } catch {
    return false;
  }
}

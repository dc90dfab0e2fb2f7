/** Reads a command line and its environment, or reports the first fault in one line. */
import { parseArgs } from 'node:util';

/** Returns `{ isHelp }`, `{ fault }` or `{ options, positionals, args }`. */
export function readCommandLine(command, args, env) {
  const known = command.options ?? {};
  const { tokens } = parseArgs({ args, options: parsedAs(known), strict: false, allowPositionals: true, tokens: true });
  const given = tokens.filter(({ kind }) => kind === 'option');
  if (given.some(({ name }) => name === 'help')) return { isHelp: true };
  const positionals = tokens.filter(({ kind }) => kind === 'positional').map(({ value }) => value);
  const ours = command.passesOn ? given.filter(({ name }) => Object.hasOwn(known, name)) : given;
  const wrongArgument =
    optionFault(ours, known) ?? (command.passesOn ? undefined : positionalFault(positionals, command.positionals));
  const fault = wrongArgument ?? variableFault(command.variables ?? {}, env);
  return fault === undefined ? { options: valuesOf(given, known), positionals, args } : { fault };
}

function parsedAs(known) {
  const types = Object.entries(known).map(([name, { value }]) => [name, { type: value ? 'string' : 'boolean' }]);
  return { ...Object.fromEntries(types), help: { type: 'boolean', short: 'h' } };
}

function valuesOf(given, known) {
  const defaults = Object.entries(known).map(([name, { value, default: fallback }]) => [
    name,
    value ? fallback : false,
  ]);
  const values = given.filter(({ name }) => known[name]).map(({ name, value }) => [name, value ?? true]);
  return Object.fromEntries([...defaults, ...values]);
}

function optionFault(given, known) {
  for (const { name, rawName, value } of given) {
    if (!Object.hasOwn(known, name)) return `unknown option ${rawName}`;
    const { value: placeholder, check } = known[name];
    if (placeholder && !value) return `${rawName} needs a value: ${rawName} ${placeholder}`;
    if (placeholder && value.startsWith('--'))
      return `${rawName} needs a value: ${rawName} ${placeholder}, not ${value}`;
    if (!placeholder && value !== undefined) return `${rawName} takes no value, not ${JSON.stringify(value)}`;
    const fault = value === undefined ? undefined : check?.(value);
    if (fault) return `${rawName} ${fault}`;
  }
  return undefined;
}

function positionalFault(positionals, wanted) {
  if (wanted === undefined) return positionals.length > 0 ? `unknown argument ${positionals[0]}` : undefined;
  const { name, choices, required = false } = wanted;
  const there = choices.join(', ');
  if (positionals.length > 1) return `one ${name} at a time, not ${positionals.join(' ')}`;
  if (positionals.length === 0) return required ? `${name} is missing: one of ${there}` : undefined;
  return choices.includes(positionals[0]) ? undefined : `there is no ${positionals[0]}: ${name} is one of ${there}`;
}

/** An empty variable counts as not set. */
function variableFault(variables, env) {
  for (const [name, { check }] of Object.entries(variables)) {
    const fault = env[name] ? check?.(env[name]) : undefined;
    if (fault) return `${name} ${fault}`;
  }
  return undefined;
}

/** Reads a command line and its environment, or reports the first fault in one line. */
import { parseArgs } from 'node:util';

/** Returns `{ isHelp }`, `{ fault }` or `{ options, positionals, args }`. */
export function readCommandLine(command, args, env) {
  const known = command.options ?? {};
  const types = Object.entries(known).map(([name, { value }]) => [name, { type: value ? 'string' : 'boolean' }]);
  const options = { ...Object.fromEntries(types), help: { type: 'boolean', short: 'h' } };
  const strict = !command.passesOn && !args.some((arg) => arg === '--help' || arg === '-h');
  try {
    const { values, positionals } = parseArgs({ args, options, strict, allowPositionals: true });
    if (values.help) return { isHelp: true };
    const fault =
      faultsIn(known, values, '--')[0] ??
      (command.passesOn ? undefined : positionalFault(positionals, command.positionals)) ??
      faultsIn(command.variables ?? {}, env)[0];
    const defaults = Object.entries(known).map(([name, { value, default: usual }]) => [name, value ? usual : false]);
    return fault === undefined
      ? { options: { ...Object.fromEntries(defaults), ...values }, positionals, args }
      : { fault };
  } catch (error) {
    if (!error.code?.startsWith('ERR_PARSE_ARGS_')) throw error;
    return { fault: error.message.split(/\. |\.?\n/)[0] };
  }
}

/** An empty option or variable counts as not set. */
const faultsIn = (known, given, prefix = '') =>
  Object.entries(known).flatMap(([name, { check }]) => {
    const fault = given[name] && check?.(given[name]);
    return fault ? [`${prefix}${name} ${fault}`] : [];
  });

function positionalFault(positionals, wanted) {
  if (wanted === undefined) return positionals.length > 0 ? `unknown argument ${positionals[0]}` : undefined;
  const { name, choices, required = false } = wanted;
  const there = choices.join(', ');
  if (positionals.length > 1) return `one ${name} at a time, not ${positionals.join(' ')}`;
  if (positionals.length === 0) return required ? `${name} is missing: one of ${there}` : undefined;
  return choices.includes(positionals[0]) ? undefined : `there is no ${positionals[0]}: ${name} is one of ${there}`;
}

/** Each check takes the text of an option or a variable and returns the fault, worded to follow the name. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readJson } from '../infra/read-json.mjs';

const MOST_PORTS = 65_535;
const quoted = (text) => JSON.stringify(text);

export function wholeNumber({ min = 0, max = Number.MAX_SAFE_INTEGER } = {}) {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  const isRight = (text) => /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max;
  return (text) => (isRight(text) ? undefined : `must be a whole number ${range}, not ${quoted(text)}`);
}

export const port = wholeNumber({ max: MOST_PORTS });

export const version = (text) =>
  /^\d+\.\d+\.\d+$/.test(text) ? undefined : `must be a version such as 4.1.1, not ${quoted(text)}`;

export const program = (text) =>
  spawnSync(text, ['--version']).status === 0
    ? undefined
    : `must be a program that answers --version, not ${quoted(text)}`;

export const oneOf = (choices) => (text) =>
  choices.includes(text) ? undefined : `must be one of ${choices.join(', ')}, not ${quoted(text)}`;

export const someOf = (choices) => (text) => text.split(',').map(oneOf(choices)).find(Boolean);

export function url(...protocols) {
  return (text) => {
    const isRight = URL.canParse(text) && protocols.includes(new URL(text).protocol) && new URL(text).host !== '';
    return isRight
      ? undefined
      : `must be an address that begins with ${protocols.map((one) => `${one}//`).join(' or ')}`;
  };
}

export function brokers(text) {
  const isRight = (one) => /^[\w.-]+:\d{1,5}$/.test(one.trim()) && Number(one.split(':').at(-1)) <= MOST_PORTS;
  return text.split(',').every(isRight) ? undefined : `must be host:port, or several with commas, not ${quoted(text)}`;
}

export const builtClone = (folder) =>
  existsSync(join(folder, 'apps/payment-gateway/dist/main.js'))
    ? undefined
    : `must be a clone in which \`npm run build\` has run, not ${quoted(folder)}`;

export function jsonFile(text) {
  try {
    readJson(text);
    return undefined;
  } catch (error) {
    return error.code === 'ENOENT'
      ? `names a file that does not exist: ${text}`
      : `names ${text}, which is no JSON file that can be read`;
  }
}

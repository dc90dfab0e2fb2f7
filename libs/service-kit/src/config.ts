import 'reflect-metadata';
import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { reasonOf } from '@tranche/runtime';
import { validateSync } from 'class-validator';
import type { ProductionView } from './production/production-faults.js';
import { Secret } from './secret.js';

export interface EnvOptions {
  /** What it is, with its unit: ends up in fault messages, READMEs and `describeConfig`. */
  doc: string;
  /** In the form of the property. Without a default the variable is required. */
  default?: string | number | boolean | readonly string[];
  /** May be missing: the property is then undefined. */
  optional?: boolean;
  /** Also read from the file that NAME_FILE names; never printed. A property of type `Secret` is secret anyway. */
  secret?: boolean;
  /** No secret, but it may hold one, as an address may hold a password: also read from the file that NAME_FILE names. */
  fromFile?: boolean;
  /** The value is a path: made absolute, and must be readable. */
  file?: boolean;
  /** URL properties and lists of URLs: the schemes that are accepted. Default http and https. */
  protocols?: readonly string[];
  /** A list property holds URLs instead of texts. */
  items?: 'url';
  /** Reads what the built-in types do not (for `file`: gets the path). What it throws becomes the fault, an error's `faults` one by one. */
  read?: (text: string) => unknown;
  /** What production mode (TOPICS=check) refuses of the value, beside what it refuses of every secret and every URL. */
  inProduction?(this: void, value: unknown, view: ProductionView): readonly string[];
}

export interface ConfigFault {
  name: string;
  message: string;
}

export interface Setting {
  name: string;
  property: string;
  doc: string;
  secret: boolean;
  fromFile?: boolean;
  required: boolean;
  default?: string;
}

/** A configuration class may say what is wrong between its settings; asked when each by itself is right. */
export interface ChecksItself {
  check(): ConfigFault[];
}

type Environment = Record<string, string | undefined>;
type ConfigClass<T extends object> = new () => T;
export interface Declaration extends EnvOptions {
  name: string;
  property: string;
  type: unknown;
}

const declarations = new WeakMap<object, Declaration[]>();
/** The environment that each configuration was read from. */
const sources = new WeakMap<object, Environment>();

/** Binds a property to an environment variable, read as the property's type: string, number (whole), boolean, string[], URL, Secret. */
export function Env(name: string, options: EnvOptions): PropertyDecorator {
  return (prototype, key) => {
    const property = String(key);
    const type: unknown = Reflect.getMetadata('design:type', prototype, key);
    const known = declarations.get(prototype.constructor) ?? [];
    known.push({ ...options, name, property, type, secret: options.secret === true || type === Secret });
    declarations.set(prototype.constructor, known);
  };
}

/** Every fault of the settings at once. Never holds a value. */
export class ConfigError extends Error {
  constructor(readonly faults: readonly ConfigFault[]) {
    super(faults.map(({ name, message }) => `${name}: ${message}`).join('\n'));
    this.name = 'ConfigError';
  }
}

export function loadConfig<T extends object>(Class: ConfigClass<T>, env: Environment = process.env): T {
  const { config, faults } = readConfig(Class, env);
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

export function readConfig<T extends object>(
  Class: ConfigClass<T>,
  env: Environment,
): { config: T; faults: ConfigFault[] } {
  const config = new Class();
  sources.set(config, env);
  const faults: ConfigFault[] = [];
  const unread = new Set<string>();
  for (const declaration of declarationsOf(Class)) {
    try {
      Reflect.set(config, declaration.property, valueOf(declaration, env));
    } catch (error) {
      unread.add(declaration.property);
      faults.push(...faultsOf(declaration, error));
    }
  }
  faults.push(...validationFaults(Class, config, unread));
  if (faults.length === 0) faults.push(...((config as Partial<ChecksItself>).check?.() ?? []));
  return { config, faults };
}

/**
 * Reads a setting again where a file holds it (NAME_FILE), for its content may have been replaced; undefined where the variable itself holds
 * it, which cannot change. @throws what is wrong with the file.
 */
export function rereadFromFile<T extends object, P extends keyof T & string>(
  config: T,
  property: P,
): (() => T[P]) | undefined {
  const env = sources.get(config) ?? {};
  const declaration = declarationsOf(config.constructor as ConfigClass<T>).find((one) => one.property === property);
  if (declaration === undefined || !env[`${declaration.name}_FILE`]) return undefined;
  return () => valueOf(declaration, env) as T[P];
}

/** The variables of a configuration class, for READMEs and for tests that hold compose files against the code. */
export function describeConfig(Class: ConfigClass<object>): Setting[] {
  return declarationsOf(Class).map(({ name, property, doc, secret, fromFile, optional, default: fallback }) => ({
    name,
    property,
    doc,
    secret: secret === true,
    ...(fromFile === true ? { fromFile } : {}),
    required: fallback === undefined && optional !== true,
    ...(fallback === undefined ? {} : { default: String(fallback) }),
  }));
}

/** Its own, then those of the class it extends. */
export function declarationsOf(Class: ConfigClass<object>): Declaration[] {
  const Base = Object.getPrototypeOf(Class) as ConfigClass<object> | null;
  return [...(declarations.get(Class) ?? []), ...(Base === null ? [] : declarationsOf(Base))];
}

function valueOf(declaration: Declaration, env: Environment): unknown {
  const text =
    textOf(declaration, env) ?? (declaration.default === undefined ? undefined : String(declaration.default));
  if (text !== undefined) return parse(declaration, text);
  if (declaration.optional) return undefined;
  throw new Error(
    `is not set. Set it to ${declaration.doc}${declaration.secret ? `, or ${declaration.name}_FILE to a file that holds it` : ''}`,
  );
}

/** An empty variable counts as not set: compose files and shells cannot express the difference. */
function textOf({ name, secret, fromFile }: Declaration, env: Environment): string | undefined {
  const text = env[name] || undefined;
  const file = secret || fromFile ? env[`${name}_FILE`] || undefined : undefined;
  if (file === undefined) return text;
  if (text !== undefined) throw new Error(`is set twice, here and in ${name}_FILE. Remove one of them`);
  const content = readSecretFile(name, file).replace(/\r?\n$/, '');
  if (content === '') throw new Error(`${name}_FILE names an empty file. Put the value into it`);
  return content;
}

function readSecretFile(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(
      `${name}_FILE names a file that cannot be read (${reasonOf(error)}). Correct the path or the file's permissions`,
      {
        cause: error,
      },
    );
  }
}

function parse(declaration: Declaration, text: string): unknown {
  const { type, file, items, protocols, read } = declaration;
  const source = file ? readablePath(text) : text;
  if (read) return read(source);
  if (type === Number) return wholeNumber(source);
  if (type === Boolean) return truth(source);
  if (type === URL) return url(source, protocols);
  if (type === Array) return items === 'url' ? list(source).map((item) => url(item, protocols)) : list(source);
  if (type === Secret) return new Secret(source);
  return source;
}

function readablePath(text: string): string {
  const path = resolve(text);
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw new Error(
      `names a file that cannot be read (${reasonOf(error)}). Correct the path or the file's permissions`,
      { cause: error },
    );
  }
  if (!statSync(path).isFile()) throw new Error('names something that is not a file. Correct the path');
  return path;
}

function wholeNumber(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new Error('is not a whole number. Use digits only, without unit');
  return Number(text);
}

function truth(text: string): boolean {
  if (['true', '1'].includes(text)) return true;
  if (['false', '0'].includes(text)) return false;
  throw new Error('is neither true nor false. Use true or false');
}

function list(text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  if (items.some((item) => item === '')) throw new Error('has an empty entry. Separate entries by single commas');
  return items;
}

function url(text: string, protocols: readonly string[] = ['http', 'https']): URL {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (parsed === undefined || !protocols.includes(parsed.protocol.slice(0, -1))) {
    throw new Error(
      `is not an address. Use one that starts with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}`,
    );
  }
  const { username, password } = parsed;
  if (!isEncoded(username) || !isEncoded(password))
    throw new Error('has a % in its user or password that begins no encoded character: write it as %25');
  return parsed;
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function faultsOf({ name }: Declaration, error: unknown): ConfigFault[] {
  const inner = (error as { faults?: unknown }).faults;
  if (!Array.isArray(inner)) return [{ name, message: reasonOf(error) }];
  return (inner as { path?: string; message: string }[]).map(({ path, message }) => ({
    name,
    message: path ? `${path}: ${message}` : message,
  }));
}

function validationFaults(Class: ConfigClass<object>, config: object, unread: ReadonlySet<string>): ConfigFault[] {
  const names = new Map(declarationsOf(Class).map(({ property, name, optional }) => [property, { name, optional }]));
  return validateSync(config, { forbidUnknownValues: false, validationError: { target: false, value: false } }).flatMap(
    ({ property, constraints = {} }) => {
      const setting = names.get(property);
      const isMissing = Reflect.get(config, property) === undefined && setting?.optional === true;
      if (setting === undefined || unread.has(property)) return [];
      // A setting that may be missing has one condition to meet: the one under which it must be there, @ValidateIf with @IsDefined.
      const broken = Object.entries(constraints).filter(([constraint]) => !isMissing || constraint === 'isDefined');
      return broken.map(([, message]) => ({ name: setting.name, message: message.replaceAll(`${property} `, '') }));
    },
  );
}

import 'reflect-metadata';
import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { readTextFile } from '@tranche/contracts';
import { reasonOf } from '@tranche/runtime';
import { validateSync } from 'class-validator';
import { Secret } from './secret.js';

export interface ProductionView {
  readonly config: object;
  /** True for this machine and for hosts in PLAINTEXT_HOSTS, to which traffic needs no TLS. */
  readonly isProtected: (host: string) => boolean;
}

interface EnvOptions {
  /** A description with the unit; used in fault messages, READMEs and `describeConfig`. */
  doc: string;
  /** In the property's own type. A variable without a default is required. */
  default?: string | number | boolean | readonly string[];
  /** If true, the variable may be missing; the property is undefined then. */
  optional?: boolean;
  /** Can also be read from the file that NAME_FILE names, and is never printed. A property of type `Secret` is always secret. */
  secret?: boolean;
  /** The value may contain a secret, such as a password in a URL, so it can also be read from the file that NAME_FILE names. */
  fromFile?: boolean;
  /** The value is a path: it becomes absolute, and the file must be readable. */
  file?: boolean;
  /** Accepted URL schemes, for URLs and lists of URLs (http and https). */
  protocols?: readonly string[];
  /** The list contains URLs instead of texts. */
  items?: 'url';
  /** Parses a value that the built-in types cannot (with `file`: gets the path). A thrown error, or each of its `faults`, is a fault. */
  read?: (text: string) => unknown;
  /** Faults of the value in production mode (TOPICS=check), in addition to those of every secret and every URL. */
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

/** A configuration class can check its settings against each other; called only if each single setting is valid. */
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
const parts = new WeakMap<object, { property: string; Class: ConfigClass<object> }[]>();
const sources = new WeakMap<object, Environment>();

/** Binds a property to an environment variable, parsed by its type: string, number (integer), boolean, string[], URL, Secret. */
export function Env(name: string, options: EnvOptions): PropertyDecorator {
  return (prototype, key) => {
    const property = String(key);
    const type: unknown = Reflect.getMetadata('design:type', prototype, key);
    const known = declarations.get(prototype.constructor) ?? [];
    known.push({ ...options, name, property, type, secret: options.secret === true || type === Secret });
    declarations.set(prototype.constructor, known);
  };
}

/** Reads the settings that the property's class declares into this property: a configuration is composed of such parts. */
export function Part(): PropertyDecorator {
  return (prototype, key) => {
    const Class = Reflect.getMetadata('design:type', prototype, key) as ConfigClass<object>;
    const known = parts.get(prototype.constructor) ?? [];
    parts.set(prototype.constructor, [...known, { property: String(key), Class }]);
  };
}

/** Lists all faults of the settings. Never contains a value. */
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
  for (const { property, Class: PartClass } of partsOf(Class)) {
    const part = readConfig(PartClass, env);
    Reflect.set(config, property, part.config);
    faults.push(...part.faults);
  }
  if (faults.length === 0) faults.push(...((config as Partial<ChecksItself>).check?.() ?? []));
  return { config, faults };
}

/**
 * Returns a function that reads a setting again from its file (NAME_FILE), because the file may be replaced; undefined if the variable
 * itself has the value, which cannot change. The function throws the fault of the file.
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

/** Describes the variables of a configuration class, for READMEs and for tests that compare compose files with the code. */
export function describeConfig(Class: ConfigClass<object>): Setting[] {
  const own = declarationsOf(Class).map(({ name, property, doc, secret, fromFile, optional, default: fallback }) => ({
    name,
    property,
    doc,
    secret: secret === true,
    ...(fromFile === true ? { fromFile } : {}),
    required: fallback === undefined && optional !== true,
    ...(fallback === undefined ? {} : { default: String(fallback) }),
  }));
  return [...own, ...partsOf(Class).flatMap((part) => describeConfig(part.Class))];
}

/** Returns the configuration and all parts that it is composed of, each with its declarations. */
export function settingsIn(config: object): { config: object; declarations: Declaration[] }[] {
  const Class = config.constructor as ConfigClass<object>;
  const inParts = partsOf(Class).flatMap(({ property }) => settingsIn(Reflect.get(config, property) as object));
  return [{ config, declarations: declarationsOf(Class) }, ...inParts];
}

/** Returns the declarations of the class and of the one that it extends, without those of its parts. */
function declarationsOf(Class: ConfigClass<object>): Declaration[] {
  const Base = Object.getPrototypeOf(Class) as ConfigClass<object> | null;
  return [...(declarations.get(Class) ?? []), ...(Base === null ? [] : declarationsOf(Base))];
}

const partsOf = (Class: ConfigClass<object>): { property: string; Class: ConfigClass<object> }[] =>
  parts.get(Class) ?? [];

function valueOf(declaration: Declaration, env: Environment): unknown {
  const text =
    textOf(declaration, env) ?? (declaration.default === undefined ? undefined : String(declaration.default));
  if (text !== undefined) return parse(declaration, text);
  if (declaration.optional) return undefined;
  throw new Error(
    `is not set. Set it to ${declaration.doc}${declaration.secret ? `, or ${declaration.name}_FILE to a file that holds it` : ''}`,
  );
}

/** An empty variable counts as not set, because compose files and shells cannot express the difference. */
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
    return readTextFile(file);
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
      // A missing optional setting can break only the condition that requires it: @ValidateIf with @IsDefined.
      const broken = Object.entries(constraints).filter(([constraint]) => !isMissing || constraint === 'isDefined');
      return broken.map(([, message]) => ({ name: setting.name, message: message.replaceAll(`${property} `, '') }));
    },
  );
}

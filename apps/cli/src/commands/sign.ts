import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { KID_PATTERN, SIGNATURE_HEADER, signCommand } from '@tranche/contracts';
import { CannotTellError, RefusedError } from '../exit.js';
import { topicFor } from './check-command.js';
import type { Given } from './given-commands.js';

interface SignedRecord {
  topic: string;
  key: string | null;
  headers: Record<string, string>;
  /** The signed bytes, as text. */
  value: string | null;
}

interface Signer {
  kid: string;
  privateKey: KeyObject;
  environmentId?: string | undefined;
}

/** @throws RefusedError naming every command that cannot be signed; then none is */
export function signAll(given: readonly Given[], prefix: string, by: Signer): SignedRecord[] {
  const { environmentId, ...key } = by;
  const faults: string[] = [];
  const signed: SignedRecord[] = [];
  for (const one of given) {
    if ('fault' in one) {
      faults.push(`${one.at}: ${one.fault}`);
      continue;
    }
    const topic = topicFor(one, prefix);
    if (topic === undefined)
      faults.push(`${one.at}: a signature is for one topic: name it with --topic or in the record`);
    else if (one.record.key === null) faults.push(`${one.at}: has no key, and its content names no merchant and order`);
    else {
      const { [SIGNATURE_HEADER]: _, ...headers } = one.record.headers;
      const command = { topic, key: one.record.key, headers, value: one.record.value };
      try {
        const signature = signCommand(command, { ...key, ...(environmentId === undefined ? {} : { environmentId }) });
        const value = command.value === null ? null : command.value.toString('utf8');
        signed.push({ ...command, headers: { ...headers, [SIGNATURE_HEADER]: signature }, value });
      } catch (error) {
        faults.push(`${one.at}: ${(error as Error).message}`);
      }
    }
  }
  if (faults.length > 0) throw new RefusedError(faults.join('\n'));
  return signed;
}

/** True for a name that the merchants' file takes. */
export const isKid = (kid: string): boolean => kid.length >= 1 && kid.length <= 64 && KID_PATTERN.test(kid);

/** @throws CannotTellError if the file cannot be read, RefusedError if it holds no Ed25519 key */
export function readPrivateKey(file: string): KeyObject {
  let pem: Buffer;
  try {
    pem = readFileSync(file);
  } catch (cause) {
    throw new CannotTellError(`${file} cannot be read`, { cause });
  }
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // OpenSSL's message says nothing to a person.
  }
  throw new RefusedError(`${file} is no Ed25519 private key in PEM: make one with tranche commands keygen`);
}

/**
 * Writes a new private key, readable by its owner only, and returns the entry of `publisherKeys`.
 * @throws RefusedError if the file exists, CannotTellError if it cannot be written
 */
export function makeKey(file: string, kid: string): { kid: string; publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  try {
    writeFileSync(file, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST')
      throw new RefusedError(`${file} exists and is not overwritten: name another file`);
    throw new CannotTellError(`${file} cannot be written`, { cause });
  }
  return { kid, publicKey: publicKey.export({ format: 'jwk' }).x! };
}

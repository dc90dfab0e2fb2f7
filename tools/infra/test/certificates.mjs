/** Makes certificate authorities and certificates for tests with OpenSSL, as PEM files in a folder. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const DAYS = 2;
const openssl = (...args) => execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });

export function authority(folder, name) {
  const { cert, key } = paths(folder, name);
  const subject = ['-subj', `/CN=${name}`, '-addext', 'keyUsage=critical,keyCertSign'];
  openssl('req', '-x509', ...NEW_KEY, '-keyout', key, '-out', cert, '-days', String(DAYS), ...subject);
  return { cert, key };
}

/**
 * Returns `{ cert, key, pair }`, signed by `by` for `hosts` (`DNS:…`, `IP:…`); `pair` holds both in one file for Kafka. Negative `days`
 * make an expired one.
 */
export function certificate(folder, name, { by, hosts = ['DNS:localhost', 'IP:127.0.0.1'], days = DAYS }) {
  const { cert, key, request, extensions, pair } = paths(folder, name);
  openssl('req', ...NEW_KEY, '-keyout', key, '-out', request, '-subj', `/CN=${name}`);
  writeFileSync(extensions, `subjectAltName=${hosts.join()}\nextendedKeyUsage=serverAuth,clientAuth\n`);
  const signed = ['-CA', by.cert, '-CAkey', by.key, '-CAcreateserial', '-days', String(days), '-extfile', extensions];
  openssl('x509', '-req', '-in', request, '-out', cert, ...signed);
  writeFileSync(pair, readFileSync(key) + readFileSync(cert));
  return { cert, key, pair };
}

const NEW_KEY = ['-newkey', 'rsa:2048', '-nodes'];
const paths = (folder, name) => ({
  cert: join(folder, `${name}.crt`),
  key: join(folder, `${name}.key`),
  request: join(folder, `${name}.csr`),
  extensions: join(folder, `${name}.ext`),
  pair: join(folder, `${name}.pem`),
});

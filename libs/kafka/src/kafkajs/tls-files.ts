import { statSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import { readTextFile } from '@tranche/contracts';
import type { Log } from '@tranche/runtime';

/** Paths of PEM files. Without `caFile` the authorities of Node.js are trusted; `certFile` and `keyFile` require each other. */
export interface TlsFiles {
  caFile?: string;
  certFile?: string;
  keyFile?: string;
}

/**
 * Loads the files for each new connection, and again after a change, so that certificates can be replaced without a restart. If changed
 * files are unusable (half written, or a key that does not match), the previous ones stay in use.
 */
export class TlsMaterial {
  readonly #files: TlsFiles;
  readonly #log: Log;
  #stamp: string;
  #context: SecureContext;

  /** @throws if the files cannot be read or used */
  constructor(files: TlsFiles, log: Log) {
    this.#files = files;
    this.#log = log;
    this.#stamp = this.#stampOfNow();
    this.#context = contextOf(files);
  }

  current(): SecureContext {
    try {
      const stamp = this.#stampOfNow();
      if (stamp === this.#stamp) return this.#context;
      this.#context = contextOf(this.#files);
      this.#stamp = stamp;
      this.#log.info({ ...this.#files }, 'TLS files have changed: new connections use them');
    } catch (error) {
      this.#log.error(
        { ...this.#files, error: String(error) },
        'TLS files have changed and can not be used: connections go on with what was read before',
      );
    }
    return this.#context;
  }

  #stampOfNow(): string {
    return pathsOf(this.#files)
      .map((path) => {
        const { ino, size, mtimeMs } = statSync(path);
        return `${ino} ${size} ${mtimeMs}`;
      })
      .join();
  }
}

const pathsOf = ({ caFile, certFile, keyFile }: TlsFiles) => [caFile, certFile, keyFile].filter((path) => path !== undefined); // prettier-ignore

function contextOf({ caFile, certFile, keyFile }: TlsFiles): SecureContext {
  const read = (path: string | undefined) => (path === undefined ? undefined : readTextFile(path));
  return createSecureContext({ ca: read(caFile), cert: read(certFile), key: read(keyFile) });
}

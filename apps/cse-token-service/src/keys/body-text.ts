import type { Readable } from 'node:stream';
import { Problem } from '@tranche/service-kit';

/**
 * Reads the whole body as text.
 * @throws Problem 413 if it is larger than `maxBytes`
 */
export function bodyText(stream: Readable, maxBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    stream.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes <= maxBytes) parts.push(part);
      else reject(tooLarge());
    });
    stream.on('end', () => {
      const [only] = parts;
      resolve(parts.length === 1 && only !== undefined ? only.toString() : Buffer.concat(parts).toString());
    });
    stream.on('error', () => reject(brokenOff()));
  });
}

function tooLarge(): Problem {
  return new Problem({
    status: 413,
    code: 'payload_too_large',
    detail: 'The body is larger than this address accepts.',
  });
}

function brokenOff(): Problem {
  return new Problem({ status: 400, code: 'malformed_request', detail: 'The body did not arrive to its end.' });
}

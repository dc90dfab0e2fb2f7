import type { Pairs } from './signed-message.js';

export const ENCODINGS = ['query', 'urlencoded', 'multipart', 'json'] as const;
export type Encoding = (typeof ENCODINGS)[number];

const BOUNDARY = 'tranche-forgeries';
export const CONTENT_TYPES: Readonly<Record<Exclude<Encoding, 'query'>, string>> = {
  urlencoded: 'application/x-www-form-urlencoded',
  multipart: `multipart/form-data; boundary=${BOUNDARY}`,
  json: 'application/json',
};

/** Returns the parameters as bytes: the query of a GET without `?`, or a body. */
export function encoded(encoding: Encoding, pairs: Pairs): Buffer {
  switch (encoding) {
    case 'query':
    case 'urlencoded':
      return Buffer.from(new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString());
    case 'multipart': {
      const part = ([name, value]: Pairs[number]) =>
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
      return Buffer.from(`${pairs.map(part).join('')}--${BOUNDARY}--\r\n`);
    }
    case 'json':
      return Buffer.from(
        `{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`,
      );
  }
}

/** Decodes bytes as a lenient reader would, independently of the service's own code; undefined if that fails. */
export function decoded(encoding: Encoding, bytes: Buffer): Pairs | undefined {
  const text = bytes.toString('utf8');
  switch (encoding) {
    case 'query':
    case 'urlencoded':
      return [...new URLSearchParams(text)];
    case 'multipart':
      return text.split(`--${BOUNDARY}`).flatMap((part) => {
        const [, name, value] = /name="([^"]*)"[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n([^]*)\r\n$/i.exec(part) ?? [];
        return name === undefined || value === undefined ? [] : [[name, value] as const];
      });
    case 'json':
      try {
        return Object.entries(JSON.parse(text) as Record<string, string>);
      } catch {
        return undefined;
      }
  }
}

/** Returns the bytes of a whole HTTP/1.1 request. */
export function requestOf(encoding: Encoding, bytes: Buffer, { query = '', headers = '' } = {}): Buffer {
  if (encoding === 'query') {
    return Buffer.concat([
      Buffer.from('GET /notifications?'),
      bytes,
      Buffer.from(` HTTP/1.1\r\nhost: ingest\r\n${headers}\r\n`),
    ]);
  }
  const head = `POST /notifications${query} HTTP/1.1\r\nhost: ingest\r\ncontent-type: ${CONTENT_TYPES[encoding]}\r\n${headers}content-length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
}

import type { Socket } from 'node:net';

/** Maximum bytes of the headers of an answer from another party. */
export const ANSWER_HEADER_BYTES = 65_536;

type Connected = (...answer: [Error, null] | [null, Socket]) => void;

/**
 * Wraps a connector of undici, whose HTTP parser ends a call at what RFC 9110 and 9112 let a proxy send: an unasked `100 Continue`, equal
 * lengths, a folded header. Its sockets leave out interim answers, and say lengths once and headers in one line.
 */
export function readingLegalHeads<Target>(
  connector: (target: Target, callback: Connected) => void,
): (target: Target, callback: Connected) => void {
  return (target, callback) =>
    connector(target, (...answer) => {
      if (answer[1]) mendHeads(answer[1]);
      callback(...answer);
    });
}

/** A call is written as a whole before its answer is read, and one at a time: what is read after a write begins with the head of an answer. */
function mendHeads(socket: Socket): void {
  const read: Socket['read'] = socket.read.bind(socket);
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  /** The head as far as it came; undefined while none is expected. */
  let head: Buffer | undefined;
  socket.write = (...args: unknown[]) => {
    head ??= Buffer.alloc(0);
    return write(...args);
  };
  socket.read = (size) => {
    for (;;) {
      const chunk = read(size) as Buffer | null;
      if (chunk === null || head === undefined) return chunk;
      head = withoutInterimAnswers(head.length === 0 ? chunk : Buffer.concat([head, chunk]));
      if (isBegun(head)) continue;
      const answer = withPlainHead(head);
      head = undefined;
      return answer;
    }
  };
}

const END = '\r\n\r\n';
/** 101 changes the protocol, which no call asks for. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/;

function withoutInterimAnswers(bytes: Buffer): Buffer {
  let rest = bytes;
  for (;;) {
    const end = rest.indexOf(END);
    if (end < 0 || !INTERIM.test(rest.toString('latin1', 0, 13))) return rest;
    rest = rest.subarray(end + END.length);
  }
}

/** True for a head that may still become whole. Everything else is the parser's, which says what is wrong. */
function isBegun(bytes: Buffer): boolean {
  if (bytes.length > ANSWER_HEADER_BYTES || bytes.includes(END) || bytes.includes('\n\n')) return false;
  return 'HTTP/1.'.startsWith(bytes.toString('latin1', 0, 7));
}

const LENGTH = /^content-length:/i;

function withPlainHead(bytes: Buffer): Buffer {
  const end = bytes.indexOf(END);
  if (end < 0) return bytes;
  const head = bytes.toString('latin1', 0, end);
  const lines = (/\r\n[ \t]/.test(head) ? head.replace(/\r\n[ \t]+/g, ' ') : head).split('\r\n');
  const lengths = lines
    .filter((line) => LENGTH.test(line))
    .flatMap((line) => line.slice('content-length:'.length).split(','))
    .map((length) => length.trim());
  const [length] = lengths;
  const areEqual = lengths.length > 1 && lengths.every((other) => other === length);
  const plain = areEqual
    ? [...lines.filter((line) => !LENGTH.test(line)), `Content-Length: ${length}`].join('\r\n')
    : lines.join('\r\n');
  return plain === head ? bytes : Buffer.concat([Buffer.from(plain, 'latin1'), bytes.subarray(end)]);
}

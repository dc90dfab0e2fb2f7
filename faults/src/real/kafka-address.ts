import type { Rewrite } from './proxy.js';

/**
 * Kafka tells its clients where to connect: in its answers (4 bytes of length in front) its own host and port, as Kafka writes them, become
 * the host and the proxy's port. The length stays.
 */
export function kafkaAddress(brokers: string, proxyPort: () => number): Rewrite {
  const [host = '', port = ''] = (brokers.split(',')[0] ?? '').split(':');
  const theirs = Buffer.alloc(2 + host.length + 4);
  theirs.writeInt16BE(host.length);
  theirs.write(host, 2);
  theirs.writeInt32BE(Number(port), 2 + host.length);
  return () => {
    let rest: Buffer = Buffer.alloc(0);
    return (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      let end = 0;
      while (rest.length >= end + 4 && rest.length >= end + 4 + rest.readInt32BE(end)) end += 4 + rest.readInt32BE(end);
      const answers = Buffer.from(rest.subarray(0, end));
      rest = rest.subarray(end);
      for (let at = answers.indexOf(theirs); at >= 0; at = answers.indexOf(theirs, at + 1))
        answers.writeInt32BE(proxyPort(), at + theirs.length - 4);
      return answers;
    };
  };
}

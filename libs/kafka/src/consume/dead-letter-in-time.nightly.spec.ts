import { deadLetter } from './dead-letter.js';

const reason = { code: 'unreadable', message: 'no JSON', attempts: 1 };
const record = (value: string) => ({
  topic: 'commands',
  partition: 1,
  offset: 7n,
  key: null,
  rawKey: null,
  value: Buffer.from(value),
  headers: {},
  timestampMs: 1_760_000_000_000,
});

it.each(['[', '{"a":', '"a",', '4 ', '"4",', '\\u0034', '%34', 'cvv '])(
  'looks at a content of eight times the length in less than 24 times the time, where its square would take 64 times: %j',
  (piece) => {
    const shortestMs = (length: number) => {
      const text = piece.repeat(Math.floor(length / piece.length));
      const timesMs = Array.from({ length: 3 }, () => {
        const begun = process.cpuUsage();
        for (const content of [text, `[${text}1]`]) deadLetter('dead', 'commands', record(content), reason);
        const { user, system } = process.cpuUsage(begun);
        return (user + system) / 1_000;
      });
      return Math.min(...timesMs);
    };
    shortestMs(8_125);
    // Below 2 ms it is the clock that is measured.
    const short = Math.max(shortestMs(8_125), 2);
    expect(shortestMs(65_000) / short).toBeLessThan(24);
  },
);

import { requestKeys } from './broker-gate.js';

/** A request in Kafka's format: length, API key, and content. */
function request(key: number, bytes: number): Buffer {
  const whole = Buffer.alloc(4 + 2 + bytes);
  whole.writeInt32BE(2 + bytes);
  whole.writeInt16BE(key, 4);
  return whole;
}

it.each([1, 3, 7, 1_000])('finds the key of every request, in pieces of %d bytes', (piece) => {
  const all = Buffer.concat([request(10, 20), request(11, 0), request(14, 300), request(3, 1)]);
  const keysOf = requestKeys();
  const keys = [];
  for (let at = 0; at < all.length; at += piece) keys.push(...keysOf(all.subarray(at, at + piece)));
  expect(keys).toEqual([10, 11, 14, 3]);
});

import { kafkaMessages } from './broker-gate.js';

/** As Kafka writes it: length, key, and what follows. */
function request(key: number, bytes: number): Buffer {
  const whole = Buffer.alloc(4 + 2 + bytes);
  whole.writeInt32BE(2 + bytes);
  whole.writeInt16BE(key, 4);
  return whole;
}

it.each([1, 3, 7, 1_000])('finds every message, whole, in pieces of %d bytes', (piece) => {
  const sent = [request(10, 20), request(11, 0), request(14, 300), request(3, 1)];
  const all = Buffer.concat(sent);
  const messagesOf = kafkaMessages();
  const seen = [];
  for (let at = 0; at < all.length; at += piece) seen.push(...messagesOf(all.subarray(at, at + piece)));
  expect(seen).toEqual(sent);
});

it('keeps a message back until it is whole', () => {
  const messagesOf = kafkaMessages();
  const whole = request(10, 20);
  expect(messagesOf(whole.subarray(0, 3))).toEqual([]);
  expect(messagesOf(whole.subarray(3, 25))).toEqual([]);
  expect(messagesOf(whole.subarray(25))).toEqual([whole]);
});

import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { IncomingBodies } from './incoming-bodies.js';

const MAX = 10_000;

function bodies(count: number) {
  const cut: number[] = [];
  let counted = 0;
  const incoming = new IncomingBodies(MAX, () => counted++);
  const all = Array.from({ length: count }, (_, at) =>
    Object.assign(new EventEmitter(), { socket: { destroy: () => cut.push(at) } }),
  );
  for (const body of all) incoming.watch(body as unknown as IncomingMessage);
  return { cut, counted: () => counted, all };
}

const piece = (bytes: number) => Buffer.alloc(bytes);

it('the connection with the largest body is closed beyond the limit, and small ones continue', () => {
  const { all, cut, counted } = bodies(3);
  all[0]!.emit('data', piece(1_000));
  all[1]!.emit('data', piece(6_000));
  expect(cut).toEqual([]);
  all[2]!.emit('data', piece(3_000));
  expect(cut).toEqual([1]);
  all[0]!.emit('data', piece(4_000));
  all[1]!.emit('data', piece(6_000));
  expect([cut, counted()]).toEqual([[1], 1]);
});

it.each(['end', 'close'])('what has come to its %s counts no more', (event) => {
  const { all, cut } = bodies(3);
  for (const body of all) {
    body.emit('data', piece(6_000));
    body.emit(event);
  }
  expect(cut).toEqual([]);
});

it('pieces count beside their bytes: a body that comes byte by byte takes much more memory than it has', () => {
  const { all, cut } = bodies(1);
  for (let n = 0; n < 100; n++) all[0]!.emit('data', piece(1));
  expect(cut).toEqual([0]);
});

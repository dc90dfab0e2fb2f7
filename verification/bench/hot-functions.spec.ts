import { hotFunctions } from './hot-functions.js';

const node = (id: number, functionName: string, url = '', children: number[] = []) => {
  return { id, children, callFrame: { functionName, url } };
};
const nodes = [
  node(1, '(idle)'),
  node(2, '(garbage collector)'),
  node(3, 'fold', 'file:///home/me/libs/order-journal/dist/state/fold.js'),
  node(4, 'fold', 'file:///home/me/libs/order-journal/dist/state/fold.js'),
  node(5, '', 'file:///home/me/node_modules/undici/lib/api.js'),
  node(6, 'fold', 'file:///home/me/apps/payment-gateway/dist/fold.js'),
  node(7, 'begin', 'file:///home/me/verification/dist/bench/profiler.js', [8]),
  node(8, 'post', 'node:inspector', [9]),
  node(9, 'dispatch'),
];

it('folds by function and file, names the garbage collection, and leaves idle time and the profiler out of the shares', () => {
  const profile = { nodes, samples: [1, 2, 3, 9, 4, 5, 6, 3], timeDeltas: [500, 100, 100, 900, 200, 50, 40, 10] };
  expect(hotFunctions(profile, 3)).toEqual({
    idle: 0.5,
    functions: [
      { name: 'fold libs/order-journal/dist/state/fold.js', share: 0.62 },
      { name: '(garbage collector)', share: 0.2 },
      { name: '(anonymous) undici/lib/api.js', share: 0.1 },
    ],
  });
});

it('a sample that is dated before the one that it follows takes no time', () => {
  const { idle, functions } = hotFunctions({ nodes, samples: [1, 3, 2], timeDeltas: [100, -5, 100] }, 9);
  expect([idle, functions.map(({ share }) => share)]).toEqual([0.5, [1, 0]]);
});

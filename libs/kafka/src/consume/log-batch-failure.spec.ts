import { logBatchFailure } from './log-batch-failure.js';

it.each([
  ['a batch that cannot be handled', {}, 'error'],
  ['a wait that ends by itself', { isWait: true }, 'debug'],
  ['a batch of an assignment that has ended', { hasEnded: true }, 'debug'],
  ['a batch that was given up', { error: new DOMException('given up', 'AbortError') }, 'debug'],
])('says %s at its level', (_what, changes, level) => {
  const said: string[] = [];
  const at = (name: string) => () => void said.push(name);
  const log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  logBatchFailure(log, { error: new Error('broken'), hasEnded: false, isWait: false, fields: {}, ...changes });
  expect(said).toEqual([level]);
});

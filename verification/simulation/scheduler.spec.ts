import { Random } from './random.js';
import { Scheduler } from './scheduler.js';

async function played(seed: number): Promise<{ order: number[]; hash: number }> {
  const random = new Random(seed);
  const scheduler = new Scheduler();
  const order: number[] = [];
  const walk = (name: number, steps: number) => {
    if (steps > 0)
      scheduler.after(random.between(0, 100), `walker ${name}`, () => {
        order.push(name);
        walk(name, steps - 1);
      });
  };
  for (const name of [1, 2, 3]) walk(name, 20);
  await scheduler.run(() => false);
  return { order, hash: scheduler.hash };
}

it('plays the same events in the same order for the same seed, and in another for another', async () => {
  const once = await played(7);
  expect(await played(7)).toEqual(once);
  expect((await played(8)).order).not.toEqual(once.order);
  expect(once.order).toHaveLength(60);
});

it('lets whatever an event leads to run to its next await before the next event', async () => {
  const scheduler = new Scheduler();
  const seen: string[] = [];
  scheduler.after(1, 'first', () => {
    void (async () => {
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
      seen.push('what the first led to');
    })();
  });
  scheduler.after(2, 'second', () => seen.push('second'));
  await scheduler.run(() => false);
  expect(seen).toEqual(['what the first led to', 'second']);
});

it('does so too where it is started by a message to its process', async () => {
  const scheduler = new Scheduler();
  const seen: string[] = [];
  scheduler.after(
    1,
    'first',
    () => void Promise.resolve().then(() => Promise.resolve().then(() => seen.push('of first'))),
  );
  scheduler.after(2, 'second', () => seen.push('second'));
  await new Promise<void>((done) => setTimeout(() => void scheduler.run(() => false).then(done), 0));
  expect(seen).toEqual(['of first', 'second']);
});

it('wakes nobody who is dead, and who stands still only afterwards', async () => {
  const scheduler = new Scheduler();
  const seen: string[] = [];
  const dead = { isAlive: false, pausedUntilMs: 0 };
  const paused = { isAlive: true, pausedUntilMs: 50 };
  scheduler.after(1, 'of the dead', () => seen.push('dead'), dead);
  scheduler.after(2, 'of the paused', () => seen.push(`paused at ${scheduler.nowMs}`), paused);
  scheduler.after(3, 'of nobody', () => seen.push('nobody'));
  await scheduler.run(() => false);
  expect(seen).toEqual(['nobody', 'paused at 50']);
});

it('forgets what was cancelled', async () => {
  const scheduler = new Scheduler();
  const act = jest.fn();
  scheduler.after(5, 'cancelled', act).cancel();
  await scheduler.run(() => false);
  expect(act).not.toHaveBeenCalled();
});

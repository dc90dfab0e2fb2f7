import { intent, redirect } from '../../test/journal-records.js';
import { OneOwner, type OneOwnerSettings } from '../../test/one-owner.js';
import { OrderUnreadableError } from '../journal/journal-faults.js';
import { fold } from '../state/fold.js';
import { emptyOrder } from '../state/order-state.js';

const KEY = 'shop-fr/o';
const newer = { ...fold(emptyOrder('shop-fr', 'o'), intent, 0n).order, rulesVersion: 99 };

/** The index holds the first record, by a release with newer rules. */
const ofNewerRelease = (): OneOwner => {
  const one = new OneOwner({ records: [intent], marker: 0n });
  one.index.orders.set(KEY, newer);
  return one;
};

it('stops at a record of an order that is out of memory and that a newer release wrote to the index', async () => {
  const one = await ofNewerRelease().settled();
  one.append(redirect);
  await one.settled();
  expect([one.owner.state, one.published]).toEqual(['stopped', []]);
  expect(one.owner.stoppedBecause).toMatch(
    /stopped at offset 1: OUTCOME of shop-fr\/o can not be read: .* rules version 99/,
  );
  expect(one.owner.stoppedBecause).toContain('start a release that reads it');
});

it('lets a command on such an order wait, and stops, where the command comes before its publication', async () => {
  const held = new Promise<void>(() => undefined);
  const one = await ofNewerRelease().settled();
  one.index.readAll = () => held.then(() => []);
  one.append(redirect);
  await one.bring();
  await expect(one.journal.read('shop-fr', 'o')).rejects.toThrow(OrderUnreadableError);
  expect(one.owner.state).toBe('stopped');
});

describe('what is asked of Kafka and Redis', () => {
  const failing = (failure: Error, what = 'events'): Required<Pick<OneOwnerSettings, 'did'>> & { times: number } => {
    const counted = {
      times: 0,
      did: (step: string) => {
        if (step.startsWith(what) && ++counted.times <= 20) throw failure;
      },
    };
    return counted;
  };

  it.each([
    ['events', new TypeError("Cannot read properties of undefined (reading 'send')")],
    ['index', new RangeError('Maximum call stack size exceeded')],
  ])('is repeated until it succeeds, whatever its client throws (%s)', async (what, error) => {
    const outage = failing(error, what);
    const one = await new OneOwner({ records: [intent, redirect], did: outage.did }).settled(200);
    expect([outage.times, one.owner.state, one.index.marker]).toEqual([21, 'serve', 1n]);
  });

  it('needs a person after a minute of repeats', async () => {
    const outage = failing(new Error('too few replicas'));
    const why: (string | undefined)[] = [];
    const did = (what: string) => {
      if (what.startsWith('events')) why.push(one.owner.troubledBecause);
      void outage.did(what);
    };
    const one: OneOwner = new OneOwner({ records: [intent, redirect], did });
    await one.settled(200);
    expect([why[1], why.at(-1)]).toEqual([
      undefined,
      expect.stringMatching(/gets no further for \d+ s: too few replicas/),
    ]);
    expect(one.levels.slice(0, 2)).toEqual(['warn', 'warn']);
    expect(one.levels.at(-1)).toBe('error');
    expect(one.owner.troubledBecause).toBeUndefined();
  });

  it('needs a person after a minute of repeats also where a record can not be appended', async () => {
    let times = 0;
    const troubled: string[][] = [];
    const onAppend = () => {
      troubled.push(one.journal.troubled);
      return ++times <= 20 ? Promise.reject(new TypeError('no socket')) : Promise.resolve();
    };
    const one: OneOwner = new OneOwner({ records: [intent], onAppend });
    await one.settled();
    await one.journal.appendWithRetry(redirect);
    expect([troubled[1], troubled.at(-1)]).toEqual([
      [],
      [expect.stringMatching(/gets no further for \d+ s: no socket/)],
    ]);
    expect([one.levels.at(0), one.levels.at(-1), one.journal.troubled]).toEqual(['warn', 'error', []]);
  });
});

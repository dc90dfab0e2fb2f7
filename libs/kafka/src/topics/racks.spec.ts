import { powerLossFault, type Racks } from './racks.js';

const racks = (...names: (string | undefined)[]): Racks => new Map(names.map((name, index) => [index + 1, name]));
const brokers = [1, 2, 3];

describe('a topic that must survive a power loss', () => {
  it.each<[string, Racks | undefined, string | undefined]>([
    ['of several racks', racks('a', 'b', 'c'), undefined],
    ['of two racks', racks('a', 'b', 'a'), undefined],
    ['of one rack', racks('a', 'a', 'a'), 'its brokers are all in the rack a'],
    ['of one rack, where brokers that do not hold it are elsewhere', racks('a', 'a', 'a', 'b'), 'all in the rack a'],
    ['of no rack', racks(undefined, undefined, undefined), 'name no rack'],
    ['of racks that are known in part', racks('a', 'b', undefined), 'name no rack'],
    ['of racks that may not be asked for', undefined, 'cannot be read'],
  ])('%s', (_what, known, said) => {
    const fault = powerLossFault({ brokers, racks: known, flushMessages: undefined });
    if (said === undefined) expect(fault).toBeUndefined();
    else expect(fault).toContain(said);
  });

  it('needs no racks where each record is flushed', () =>
    expect(powerLossFault({ brokers, racks: racks('a', 'a', 'a'), flushMessages: '1' })).toBeUndefined());
});

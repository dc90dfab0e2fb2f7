import { EVENT_TYPES, validateEventData, type Fault } from '@tranche/contracts';
import { emptyOrder, fold, toCloudEvent } from '../src/index.js';
import { randomLog } from './rules-lock/random-log.js';
import { settledLog } from './rules-lock/settled-log.js';
import { waitingLog } from './rules-lock/waiting-log.js';

/** The gateway publishes it for commands that it can't give to the journal. */
const NOT_OF_THE_FOLD = 'payment.command.rejected';

it('the fold publishes every declared type of event and no other, each with its required fields', () => {
  const published = new Set<string>();
  const faults: Fault[] = [];
  for (let seed = 7_000_000; seed < 7_000_120; seed++)
    for (const logOf of [randomLog, waitingLog, settledLog]) {
      let order = emptyOrder('shop-fr', 'o');
      for (const [offset, record] of logOf(seed)) {
        const folded = fold(order, record, offset);
        order = folded.order;
        for (const { event } of folded.effects) {
          published.add(event.type);
          faults.push(...validateEventData(event.type, toCloudEvent(order, event).data).faults);
        }
      }
    }
  expect([...published].sort()).toEqual(EVENT_TYPES.filter((type) => type !== NOT_OF_THE_FOLD).sort());
  expect(faults).toEqual([]);
});

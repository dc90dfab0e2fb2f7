/** A subscriber in its own process, to be killed. Prints each record when its handler starts, and never finishes `hangs`. */
import { Tranche } from '@tranche/client';

const [brokers, topicPrefix, group] = process.argv.slice(2);
const client = await Tranche.connect({ brokers: brokers.split(','), clientId: 'subscriber', topicPrefix });
await client.subscribe({
  group,
  sessionTimeoutMs: 2000,
  on: {
    'payment.capture.succeeded': ({ data }) => {
      console.log(data.commandId);
      return data.commandId === 'hangs' ? new Promise(() => undefined) : undefined;
    },
  },
});

/**
 * Sends COUNT requests to URL over CONNECTIONS connections, each with one in flight. LOAD names a file with the requests, which are sent in
 * turns, and the shape of a right answer. Reports `{done}` ten times a second, and at the end unless an answer was wrong.
 */
import { readFileSync } from 'node:fs';
import autocannon, { type Request } from 'autocannon';

export interface Load {
  requests: Request[];
  /** A regular expression for the whole body of a right answer. */
  right: string;
}

const { URL: url = '', LOAD = '' } = process.env;
const [amount, connections] = [Number(process.env.COUNT), Number(process.env.CONNECTIONS)];
const { requests, right } = JSON.parse(readFileSync(LOAD, 'utf8')) as Load;
const isRight = new RegExp(`^(?:${right})$`, 's');
let done = 0;
let clients = 0;

const running = autocannon({
  ...{ url, connections, amount },
  // Each connection has a part of the requests, so that they do not send the same ones at the same time.
  setupClient: (client) => {
    const nth = clients++;
    client.setRequests(requests.length < connections ? requests : requests.filter((_, n) => n % connections === nth));
  },
  verifyBody: (body) => isRight.test(String(body)),
});
void running.on('response', () => done++);
const report = () => process.send?.({ done });
const reporting = setInterval(() => done < amount && report(), 100);
const { errors, timeouts, mismatches, non2xx } = await running;
clearInterval(reporting);
if (errors + timeouts + mismatches + non2xx > 0)
  throw new Error(`${errors} errors, ${timeouts} without an answer, ${non2xx} refused, ${mismatches} wrong answers`);
report();
process.disconnect?.();

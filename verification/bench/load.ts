/**
 * Sends COUNT requests to URL over CONNECTIONS connections, each with one in flight. LOAD names a file with the requests, which are sent in
 * turns, and the shape of a right answer. Reports `{done}` ten times a second, then `{p50Ms, p99Ms}` of the part of the work that the rate
 * covers. Exits with 1 if an answer was wrong.
 */
import { readFileSync } from 'node:fs';
import autocannon, { type Request } from 'autocannon';
import { percentile } from '../figures.js';

export interface Load {
  requests: Request[];
  /** A regular expression for the whole body of a right answer. */
  right: string;
}

export type LoadReport = Partial<Record<'done' | 'p50Ms' | 'p99Ms', number>>;

const { URL: url = '', LOAD = '' } = process.env;
const [amount, connections] = [Number(process.env.COUNT), Number(process.env.CONNECTIONS)];
const { requests, right } = JSON.parse(readFileSync(LOAD, 'utf8')) as Load;
const isRight = new RegExp(`^(?:${right})$`, 's');
/** autocannon's own histogram knows whole milliseconds only. */
const latenciesMs: number[] = [];
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
void running.on('response', (_client: unknown, _status: number, _bytes: number, ms: number) => latenciesMs.push(ms));
const report = (message: LoadReport) => process.send?.(message);
const reporting = setInterval(() => report({ done: latenciesMs.length }), 100);
const { errors, timeouts, mismatches, non2xx } = await running;
clearInterval(reporting);
if (errors + timeouts + mismatches + non2xx > 0)
  throw new Error(`${errors} errors, ${timeouts} without an answer, ${non2xx} refused, ${mismatches} wrong answers`);
report({ done: latenciesMs.length });
const measured = latenciesMs.slice(Math.floor(amount * 0.2), Math.floor(amount * 0.9));
report({ p50Ms: percentile(measured, 0.5), p99Ms: percentile(measured, 0.99) });
process.disconnect?.();

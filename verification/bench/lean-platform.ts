/**
 * The leanest possible platform, so that the gateway itself is the limit. It neither parses nor checks, and answers every authorization
 * with one valid constant after `LATENCY_MS` (a number, or a range such as 100-500). Ours and every peer use the same one.
 */
import { createServer } from 'node:http';

const { PORT, LATENCY_MS = '0' } = process.env;
const [from = 0, to = from] = LATENCY_MS.split('-').map(Number);
const html = '<form id="f" method="get" action="http://127.0.0.1:9/form/T0"><button>Continue</button></form>';
const answer = Buffer.from(
  JSON.stringify({
    OPERATIONTYPE: 'authorization',
    EXECCODE: '0002',
    MESSAGE: 'The cardholder must be redirected.',
    TRANSACTIONID: 'T0000000000',
    DESCRIPTOR: 'BENCH SHOP',
    REDIRECTHTML: Buffer.from(html).toString('base64'),
  }),
);
const headers = { 'content-type': 'application/json', 'content-length': answer.length };

const server = createServer((request, response) => {
  request.resume();
  request.once('end', () => {
    const reply = () => response.writeHead(200, headers).end(answer);
    if (to === 0) reply();
    else setTimeout(reply, from + Math.random() * (to - from));
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit(0));

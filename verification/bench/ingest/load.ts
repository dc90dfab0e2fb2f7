/**
 * Plays the platform: sends COUNT notifications over CONNECTIONS connections, by METHOD to `URL`. Exits with 1 at the first answer that is
 * not `OK`.
 */
import type { Parameters } from '@tranche/platform';
import { loadSettings, runSocketLoad } from '../socket-load.js';
import { notification } from './notifications.js';

const settings = loadSettings();
const first = Number(process.env.FIRST ?? 0);
/** Notifications are signed before the clock runs, and then sent repeatedly: signing would take the contestants' processor time. */
const DIFFERENT = 10_000;

const requests = Array.from({ length: Math.min(settings.count, DIFFERENT) }, (_, n) =>
  requestOf(notification(first + n)),
);

await runSocketLoad({
  ...settings,
  request: (n) => requests[n % requests.length]!,
  isRight: (body) => body === 'OK',
});

function requestOf(parameters: Parameters): Buffer {
  const { host, pathname } = settings.url;
  const form = new URLSearchParams(parameters.map(([name, value]): [string, string] => [name, value])).toString();
  const head = `host: ${host}\r\nuser-agent: bench\r\naccept: */*\r\n`;
  return Buffer.from(
    process.env.METHOD === 'POST'
      ? `POST ${pathname} HTTP/1.1\r\n${head}content-type: application/x-www-form-urlencoded\r\ncontent-length: ${form.length}\r\n\r\n${form}`
      : `GET ${pathname}?${form} HTTP/1.1\r\n${head}\r\n`,
  );
}

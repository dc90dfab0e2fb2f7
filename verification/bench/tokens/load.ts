/**
 * Plays services that ask for tokens: COUNT times POST URL over CONNECTIONS connections. Exits with 1 at the first answer that is no token
 * of BYTES; the digits of its lifetime may vary.
 */
import { loadSettings, runSocketLoad } from '../socket-load.js';

const settings = loadSettings();
const bytes = Number(process.env.BYTES);
const account = JSON.stringify({ account: process.env.ACCOUNT });
const request = Buffer.from(
  `POST ${settings.url.pathname} HTTP/1.1\r\nhost: ${settings.url.host}\r\nauthorization: Bearer ${process.env.SERVICE_KEY}\r\n` +
    `content-type: application/json\r\ncontent-length: ${account.length}\r\n\r\n${account}`,
);
const isToken = (body: string) => body.includes('"tokenType":"Bearer"') && Math.abs(body.length - bytes) <= 8;

await runSocketLoad({ ...settings, request: () => request, isRight: isToken });

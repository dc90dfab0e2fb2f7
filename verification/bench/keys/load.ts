/**
 * Plays pages that ask for a key: COUNT requests over CONNECTIONS connections to `URL`. Exits with 1 at the first answer that is not
 * `ANSWER`.
 */
import { loadSettings, runSocketLoad } from '../socket-load.js';
import { keyRequest } from './request.js';

const settings = loadSettings();
const request = keyRequest(settings.url);

await runSocketLoad({ ...settings, request: () => request, isRight: (body) => body === process.env.ANSWER });

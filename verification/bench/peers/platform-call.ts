import { Pool } from 'undici';
import { METHODS, type PartnerAAuthorization } from '@tranche/contracts';
import { requestBody } from '../commands.js';
import { countDone } from './done.js';

const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8', accept: 'application/json' };

/** Every peer makes this plain call for a command: it signs, POSTs and reads the answer, without check, journal or event. */
export function platformCall(): (command: PartnerAAuthorization) => Promise<void> {
  const pool = new Pool(process.env.PAYMENT_URL ?? '', {
    connections: Number(process.env.IN_FLIGHT ?? 12),
    pipelining: 1,
  });
  return async (command) => {
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: METHODS.A.endpoint,
      headers,
      body: requestBody(command),
    });
    const answer = (await body.json()) as { EXECCODE?: string };
    if (statusCode !== 200 || !answer.EXECCODE?.startsWith('000'))
      throw new Error(`The platform answered ${statusCode} ${JSON.stringify(answer)}`);
    countDone();
  };
}

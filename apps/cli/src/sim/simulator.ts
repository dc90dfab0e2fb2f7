import { loadConfig } from '@tranche/service-kit';
import { CannotTellError, RefusedError } from '../exit.js';
import { SessionConfig } from '../session/session.config.js';
import { Session } from '../session/session.js';

const TIMEOUT_MS = 10_000;

/**
 * Asks the simulator, below `/simulator/` where the path begins without a slash; a body that is no URLSearchParams is JSON.
 * @throws RefusedError in production, and where it does not do it; CannotTellError where it does not answer
 */
export async function askSimulator(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
  if (Session.open().isProduction) throw new RefusedError('this is production (profile, or TOPICS=check): there is no simulator to disturb');
  const { simulatorUrl } = loadConfig(SessionConfig);
  const isForm = body instanceof URLSearchParams;
  const response = await fetch(new URL(path.startsWith('/') ? path : `/simulator/${path}`, simulatorUrl), {
    method, signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'manual',
    ...(isForm && { body }),
    ...(body !== undefined && !isForm && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw new CannotTellError(`the simulator does not answer at ${simulatorUrl.origin} (SIMULATOR_URL)\n  next: start it with \`npm run simulator\`, or set SIMULATOR_URL`, { cause });
  });
  const text = await response.text();
  if (response.status >= 400) throw new RefusedError(`the simulator answered ${response.status}: ${text.slice(0, 500)}`);
  return { status: response.status, text };
} // prettier-ignore

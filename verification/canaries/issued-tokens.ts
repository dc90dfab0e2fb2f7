import { accessTokenCanary, cardTokenCanary, type Canary } from './canaries.js';

const TIMEOUT_MS = 10_000;

export interface IssuedTokens {
  readonly accessTokens: readonly string[];
  readonly cardTokens: readonly string[];
}

export async function issuedTokens(simulatorUrl: string): Promise<IssuedTokens> {
  const answer = await fetch(`${simulatorUrl}/simulator/issued-tokens`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`the simulator answered ${answer.status}`);
  return (await answer.json()) as IssuedTokens;
}

/** Uses the password grant as a client of the token API does, with the right and with a wrong password. */
export async function askWithPassword(
  simulatorUrl: string,
  { username, password }: { username: string; password: string },
): Promise<void> {
  const ask = async (body: object): Promise<number> => {
    const headers = { 'content-type': 'application/json' };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    return (await fetch(`${simulatorUrl}/iam/token`, { method: 'POST', headers, body: JSON.stringify(body), signal }))
      .status;
  };
  const answers = [
    await ask({ username, password }),
    await ask({ username: password, password: username }),
    await ask({ username, password: 1 }),
  ];
  if (answers.join() !== '200,401,400')
    throw new Error(`the token API answered ${answers.join()} to the password grant`);
}

export const canariesOf = ({ accessTokens, cardTokens }: IssuedTokens): Canary[] => [
  ...accessTokens.map(accessTokenCanary),
  ...cardTokens.map(cardTokenCanary),
];

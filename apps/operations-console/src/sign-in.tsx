import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Refused } from './api/client.js';
import { useSettings } from './api/console.js';
import { useTitle } from './parts/hooks.js';
import { beginSession, wasSessionEnded, type SignedIn } from './session.js';

/** Signs in at the operators' issuer, or takes a key or a token. */
export function SignIn() {
  useTitle('Sign in');
  const queries = useQueryClient();
  const { data: settings } = useSettings();
  const [key, setKey] = useState('');
  const [fault, setFault] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const doing = async (what: () => Promise<void>) => {
    setIsBusy(true);
    setFault(undefined);
    try {
      await what();
    } catch (error) {
      setFault((error as Error).message);
    }
    setIsBusy(false);
  };
  const enter = async (given: SignedIn) => {
    await assertTaken(given.token);
    queries.clear();
    beginSession(given);
  };
  const oidc = settings?.oidc;
  useEffect(() => {
    if (oidc === undefined || location.pathname !== '/sign-in') return;
    void doing(async () => enter(await (await import('./oidc.js')).takeAnswer(oidc)));
  }, [oidc]);
  return (
    <main className="sign-in" id="main">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void doing(() => enter({ token: key.trim() }));
        }}
      >
        <h1>
          <img src="/mark.svg" alt="" width="32" height="32" /> Tranche operations
        </h1>
        {wasSessionEnded() && (
          <p role="status">
            Your sign-in has expired, or is no longer taken. Sign in again: what you typed is kept in this tab.
          </p>
        )}
        {oidc !== undefined && (
          <>
            <button
              type="button"
              className="primary"
              disabled={isBusy}
              onClick={() => void doing(async () => (await import('./oidc.js')).askIssuer(oidc))}
            >
              Sign in with {new URL(oidc.issuer).hostname}
            </button>
            <p className="or">or with a key</p>
          </>
        )}
        <label>
          Operator’s key or token
          <input
            {...{ type: 'password', name: 'key', autoComplete: 'current-password', required: true, autoFocus: true }}
            value={key}
            onChange={({ target }) => setKey(target.value)}
          />
        </label>
        <button className={oidc === undefined ? 'primary' : undefined} disabled={isBusy || key.trim() === ''}>
          {isBusy ? 'Asking…' : 'Sign in'}
        </button>
        {fault !== undefined && (
          <p role="alert" className="fault">
            {fault}
          </p>
        )}
        <p className="hint">It stays in this tab, and goes with it.</p>
      </form>
    </main>
  );
}

/** Asks who it is. A gateway that is away is no reason to keep an operator out: operations knows the same operators. */
async function assertTaken(token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch('/v1/partitions', { headers }).catch(() => undefined);
  if (answer === undefined) throw new Refused(0, 'no_answer', 'Operations can not be reached. Try again.');
  if (answer.status === 401) throw new Refused(401, 'refused', 'No operator has this key, or the token has expired.');
  if (answer.ok) return;
  const { detail } = (await answer.json().catch(() => ({}))) as { detail?: string };
  throw new Refused(answer.status, 'refused', detail ?? `Operations answered ${answer.status}.`);
}

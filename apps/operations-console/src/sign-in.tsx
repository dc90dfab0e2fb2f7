import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Refused } from './api/client.js';
import { useTitle } from './parts/hooks.js';
import { beginSession, wasSessionEnded } from './session.js';

/** Takes a key, or a token of the operators' issuer. */
export function SignIn() {
  useTitle('Sign in');
  const queries = useQueryClient();
  const [key, setKey] = useState('');
  const [fault, setFault] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const enter = async (given: string) => {
    setIsBusy(true);
    setFault(undefined);
    try {
      await assertTaken(given);
      queries.clear();
      beginSession(given);
    } catch (error) {
      setFault((error as Error).message);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <main className="sign-in" id="main">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void enter(key.trim());
        }}
      >
        <h1>
          <img src="/mark.svg" alt="" width="32" height="32" /> Tranche operations
        </h1>
        {wasSessionEnded() && (
          <p role="status">Your key or token is no longer taken. Sign in again: what you typed is kept in this tab.</p>
        )}
        <label>
          Operator’s key or token
          <input
            {...{ type: 'password', name: 'key', autoComplete: 'current-password', required: true, autoFocus: true }}
            value={key}
            onChange={({ target }) => setKey(target.value)}
          />
        </label>
        <button className="primary" disabled={isBusy || key.trim() === ''}>
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
async function assertTaken(key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch('/v1/partitions', { headers }).catch(() => undefined);
  if (answer === undefined) throw new Refused(0, 'no_answer', 'Operations can not be reached. Try again.');
  if (answer.status === 401) throw new Refused(401, 'refused', 'No operator has this key, or the token has expired.');
  if (answer.ok) return;
  const { detail } = (await answer.json().catch(() => ({}))) as { detail?: string };
  throw new Refused(answer.status, 'refused', detail ?? `Operations answered ${answer.status}.`);
}

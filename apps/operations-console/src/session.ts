import { useSyncExternalStore } from 'react';

export interface SignedIn {
  /** A key, or a token of the issuer. */
  token: string;
  /** The issuer's own session ends there: without that, the next person in this browser would be this one by one press. */
  signOutUrl?: string;
}

/** The session is in this tab only, and gone with it. */
const KEY = 'tranche.session';
const listeners = new Set<() => void>();
let session = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as SignedIn | null;
let isEnded = false;

function set(next: SignedIn | null): void {
  session = next;
  if (next === null) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, JSON.stringify(next));
  for (const listener of listeners) listener();
}

export const tokenOf = (): string | undefined => session?.token;

export function beginSession(given: SignedIn): void {
  isEnded = false;
  set(given);
}

/** The token is no longer taken. What the person has typed stays where it is. */
export function endSession(): void {
  if (session === null) return;
  isEnded = true;
  set(null);
}

/** Nothing of a person who leaves stays, not even what was typed. */
export function signOut(): void {
  const url = session?.signOutUrl;
  isEnded = false;
  sessionStorage.clear();
  set(null);
  if (url !== undefined) location.assign(url);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useToken = (): string | undefined => useSyncExternalStore(subscribe, tokenOf);
export const wasSessionEnded = (): boolean => isEnded;

import { useSyncExternalStore } from 'react';

/** The person's key or token: in this tab only, and gone with it. */
const KEY = 'tranche.token';
const listeners = new Set<() => void>();
let token = sessionStorage.getItem(KEY) ?? undefined;
let isEnded = false;

function set(next: string | undefined): void {
  token = next;
  if (next === undefined) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, next);
  for (const listener of listeners) listener();
}

export const tokenOf = (): string | undefined => token;

export function beginSession(given: string): void {
  isEnded = false;
  set(given);
}

/** The token is no longer taken. What the person has typed stays where it is. */
export function endSession(): void {
  if (token === undefined) return;
  isEnded = true;
  set(undefined);
}

/** Nothing of a person who leaves stays, not even what was typed. */
export function signOut(): void {
  isEnded = false;
  sessionStorage.clear();
  set(undefined);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useToken = (): string | undefined => useSyncExternalStore(subscribe, tokenOf);
export const wasSessionEnded = (): boolean => isEnded;

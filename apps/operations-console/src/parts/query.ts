import { useCallback } from 'react';
import { useSearchParams } from 'wouter';

/** The filter of a page is in its address, so that it can be sent to a colleague. */
export function useFilter(): [
  of: (name: string) => string,
  set: (name: string, value: string) => void,
  clear: () => void,
] {
  const [search, setSearch] = useSearchParams();
  const set = useCallback(
    (name: string, value: string) =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before);
          if (value === '') next.delete(name);
          else next.set(name, value);
          return next;
        },
        { replace: true },
      ),
    [setSearch],
  );
  return [(name) => search.get(name) ?? '', set, () => setSearch({}, { replace: true })];
}

export const merchantOf = (text: string): { merchant?: string } =>
  /^[a-z0-9-]{1,32}$/.test(text.trim()) ? { merchant: text.trim() } : {};

/** The beginning or the end of a day that was typed, in the browser's zone. */
export const dayOf = (name: 'from' | 'to', day: string): { from?: string; to?: string } =>
  /^\d{4}-\d\d-\d\d$/.test(day)
    ? { [name]: new Date(`${day}T${name === 'from' ? '00:00:00' : '23:59:59.999'}`).toISOString() }
    : {};

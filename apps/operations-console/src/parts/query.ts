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

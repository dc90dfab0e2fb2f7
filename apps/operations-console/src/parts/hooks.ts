import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';

/** The time, told again every second to whoever shows one. */
let nowMs = Date.now();
const clocks = new Set<() => void>();
let ticking: ReturnType<typeof setInterval> | undefined;

function subscribeToClock(listener: () => void): () => void {
  clocks.add(listener);
  ticking ??= setInterval(() => {
    nowMs = Date.now();
    for (const each of clocks) each();
  }, 1_000);
  return () => {
    clocks.delete(listener);
    if (clocks.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  };
}
export const useNow = (): number => useSyncExternalStore(subscribeToClock, () => nowMs);
/** A text about the time, which is drawn anew only when it changes. */
export const useSaid = (says: (nowMs: number) => string): string =>
  useSyncExternalStore(subscribeToClock, () => says(nowMs));

const DRAFTS = 'tranche.draft.';

/** A draft outlives a reload, a sign-in and whatever ends meanwhile, in this tab alone. `empty` must not change. */
export function useDraft<T extends object>(name: string, empty: T): [T, (change: Partial<T>) => void, () => void] {
  const key = DRAFTS + name;
  const [draft, setDraft] = useState<T>(() => ({ ...empty, ...kept<T>(key) }));
  const change = useCallback(
    (more: Partial<T>) =>
      setDraft((before) => {
        const next = { ...before, ...more };
        sessionStorage.setItem(key, JSON.stringify(next));
        return next;
      }),
    [key],
  );
  const forget = useCallback(() => {
    sessionStorage.removeItem(key);
    setDraft(empty);
  }, [key]);
  return [draft, change, forget];
}

function kept<T>(key: string): Partial<T> {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '{}') as Partial<T>;
  } catch {
    return {};
  }
}

export type Theme = 'system' | 'light' | 'dark';
const THEME = 'tranche.theme';

export function useTheme(): [Theme, () => void] {
  const [theme, setTheme] = useState<Theme>(() => (localStorage.getItem(THEME) as Theme | null) ?? 'system');
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem(THEME, theme);
  }, [theme]);
  const next = useCallback(() => {
    setTheme((now) => (now === 'system' ? 'light' : now === 'light' ? 'dark' : 'system'));
  }, []);
  return [theme, next];
}

/** The value once it has stood still for so long. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Tranche operations`;
  }, [title]);
}

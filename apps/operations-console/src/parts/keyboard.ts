import { useEffect } from 'react';
import { PAGES } from '../listed-pages.js';

const WITH_KEY = PAGES.flatMap(({ key, name, path }) => (key === undefined ? [] : [{ key, name, path }]));

/** Keys of the page. They do nothing while a person types, or with Ctrl, Alt or Meta: those are the browser's. */
export const KEYS: readonly [key: string, does: string][] = [
  ['j  k', 'next and previous entry of a list'],
  ['Enter', 'open the entry'],
  ['/', 'search'],
  ['←  →', 'the record before and after, in the picture of an order'],
  ...WITH_KEY.map(({ key, name }): [string, string] => [`g ${key}`, name.toLowerCase()]),
  ['r', 'decide: to the first form of an order'],
  ['t', 'light, dark, or as the system'],
  ['?', 'these keys'],
  ['Esc', 'close, or leave a field'],
];

const GO: Readonly<Record<string, string>> = Object.fromEntries(WITH_KEY.map(({ key, path }) => [key, path]));

interface KeyDoings {
  go: (path: string) => void;
  help: () => void;
  theme: () => void;
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:TEXTAREA|SELECT)$/.test(target.tagName) || isTextInput(target));
const isTextInput = (target: HTMLElement): boolean =>
  target instanceof HTMLInputElement && !/^(?:radio|checkbox|button|file)$/.test(target.type);

export function useKeyboard({ go, help, theme }: KeyDoings): void {
  useEffect(() => {
    let isGoing = false;
    const onKey = (event: KeyboardEvent) => {
      const { key, target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
      if (isTyping(target)) {
        if (key !== 'Escape') return;
        // The browser would empty a search field, and the list of what it found would go.
        event.preventDefault();
        (target as HTMLElement).blur();
        return;
      }
      const wasGoing = isGoing;
      isGoing = key === 'g' && !wasGoing;
      const doing = wasGoing && key in GO ? () => go(GO[key] ?? '/') : doings[key];
      if (doing === undefined) return;
      event.preventDefault();
      doing();
    };
    const focus = (selector: string) => document.querySelector<HTMLElement>(selector)?.focus();
    const doings: Record<string, () => void> = {
      j: () => moveTo(1),
      k: () => moveTo(-1),
      '/': () => (document.querySelector('[data-search]') ? focus('[data-search]') : go('/search')),
      '?': help,
      t: theme,
      r: () => focus('[data-decide]'),
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [go, help, theme]);
}

/** Focus moves among the entries that are marked; with none focused it begins at the first, or the last. */
function moveTo(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')].filter((row) => row.checkVisibility());
  const at = rows.findIndex((row) => row === document.activeElement || row.contains(document.activeElement));
  const next = at < 0 ? rows.at(step > 0 ? 0 : -1) : rows[Math.min(Math.max(at + step, 0), rows.length - 1)];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

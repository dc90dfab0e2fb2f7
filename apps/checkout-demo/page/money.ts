/** Formats minor units of a currency with two decimals. */
export function money(amount: number, currency: string, language: string): string {
  return new Intl.NumberFormat(language, { style: 'currency', currency }).format(amount / 100);
}

/** Equal parts in minor units; the first one includes the remainder. */
export function instalments(amount: number, count: number): number[] {
  const part = Math.floor(amount / count);
  return Array.from({ length: count }, (_, index) => (index === 0 ? amount - part * (count - 1) : part));
}

/** The same day of a later month, or the month's last day if the month is shorter. */
export function monthLater(from: Date, months: number): Date {
  const first = new Date(from.getFullYear(), from.getMonth() + months, 1);
  const lastDay = new Date(first.getFullYear(), first.getMonth() + 1, 0).getDate();
  return new Date(first.getFullYear(), first.getMonth(), Math.min(from.getDate(), lastDay));
}

/** `20`, `20.5` and `20,50` in minor units; undefined for anything else. */
export function minorUnits(typed: string): number | undefined {
  const [, whole, part = ''] = /^(\d{1,7})(?:[.,](\d{1,2}))?$/.exec(typed.trim()) ?? [];
  return whole === undefined ? undefined : Number(whole) * 100 + Number(part.padEnd(2, '0'));
}

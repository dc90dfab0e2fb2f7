/** Minor units of the shop's currency as text. */
export function money(amount: number, locale: string): string {
  return new Intl.NumberFormat(locale, { style: 'currency', currency: 'EUR' }).format(amount / 100);
}

/** Equal parts in minor units; the first one includes the remainder. */
export function instalments(amount: number, count: number): number[] {
  const part = Math.floor(amount / count);
  return Array.from({ length: count }, (_, index) => (index === 0 ? amount - part * (count - 1) : part));
}

/** The same day of a later month, or the month's last day if the month is shorter. */
export function monthLater(from: Date, months: number): Date {
  const lastDay = new Date(from.getFullYear(), from.getMonth() + months + 1, 0);
  if (lastDay.getDate() > from.getDate()) lastDay.setDate(from.getDate());
  return lastDay;
}

/** `20`, `20.5` and `20,50` in minor units; undefined for anything else. */
export function minorUnits(typed: string): number | undefined {
  const [, whole, part = ''] = /^(\d{1,7})(?:[.,](\d{1,2}))?$/.exec(typed.trim()) ?? [];
  return whole === undefined ? undefined : Number(whole) * 100 + Number(part.padEnd(2, '0'));
}

import type { Fault } from '@tranche/contracts';

const FIELDS: Readonly<Record<string, string>> = {
  'client.email': 'email',
  'client.birthDate': 'birthDate',
  cardFullName: 'card-name',
  selectedBrand: 'card-brand',
  hfToken: 'card-token',
  tokenizedAt: 'card-token',
  method: 'method',
};

/** Maps faults of a command to fields of the page, one per field. A fault without a field gets the path '' (the whole form). */
export function formFaults(faults: readonly Fault[]): Fault[] {
  const byField = new Map<string, Fault>();
  for (const one of faults) {
    const path = fieldOf(one.path);
    const before = byField.get(path);
    if (before === undefined || (one.code === 'card_data_forbidden' && before.code !== one.code))
      byField.set(path, { ...one, path });
  }
  return [...byField.values()];
}

export const SHIP_TO = 'shipTo';

const ADDRESS =
  /^(billing|shipping|shipTo)\.(title|companyName|firstName|lastName|address|postalCode|city|country|phone|mobilePhone)$/;

function fieldOf(path: string): string {
  const [, address, field] = ADDRESS.exec(path) ?? [];
  if (field !== undefined) return (address === SHIP_TO ? 'ship-' : '') + (field === 'phone' ? 'mobilePhone' : field);
  if (path.startsWith('cart')) return 'cart';
  return FIELDS[path] ?? '';
}

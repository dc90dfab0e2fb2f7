import type { Random } from '../../simulation/random.js';
import { padded, siren, withLuhn } from './check-digits.js';

const FORMS = ['SARL', 'SAS', 'SASU', 'EURL', 'EIRL', 'SA', 'SCI', 'SNC', 'EI'];
const NAMES = ['Martin', 'Orange', 'Lefèvre & Fils', 'Boulangerie du Port', 'TransAlpes', "L'Atelier"];

type Spell = (form: string) => string;

/** Nine legal forms in six spellings. */
export const SPELLINGS_OF_COMPANIES: readonly (readonly [name: string, spell: Spell])[] = [
  ['SARL', (form) => form],
  ['sarl', (form) => form.toLowerCase()],
  ['Sarl', (form) => form.charAt(0) + form.slice(1).toLowerCase()],
  ['S.A.R.L.', (form) => [...form, ''].join('.')],
  ['s.a.r.l.', (form) => [...form, ''].join('.').toLowerCase()],
  ['S. A. R. L.', (form) => [...form].map((letter) => `${letter}.`).join(' ')],
];

/** A company and the SIRET of any of its establishments: unlike most SIRETs, their numbers are evenly spread here. */
export function withSiret(spell: Spell, random: Random): string {
  const form = spell(random.pick(FORMS));
  const name = random.pick(NAMES);
  const siret = withLuhn(siren(random) + padded(random, 10_000, 4));
  return random.pick([
    `${form} ${name} ${siret}`,
    `${name} ${form} ${siret}`,
    `${siret} ${name}, ${form}`,
    `${name} (${form}) SIRET ${siret}`,
  ]);
}

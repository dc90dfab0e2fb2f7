import type { Random } from '../../simulation/random.js';
import { digits, grouped, iban, padded, parcelOfUps, siren, siret, vat, withGs1, withLuhn } from './check-digits.js';

/**
 * Ordinary texts of shops, as they stand in names, addresses, descriptions and EXTRADATA. Left out on purpose is what nobody can tell from
 * a card: a bare number of 14 to 19 digits without any structure, one in ten of which passes the Luhn check. Its shop sets `textScan`.
 */
export const KINDS: Readonly<Record<string, (random: Random) => string>> = {
  // Companies and people
  'SIRET in a company name': (r) => `${company(r)} ${siret(r)}`,
  'SIRET in groups': (r) => `${r.pick(NAMES)} ${grouped(siret(r), [3, 3, 3, 5])}`,
  'SIRET by name': (r) => `SIRET${r.pick([' ', ': ', ' n° '])}${withLuhn(siren(r) + String(1 + r.below(9_999)).padStart(4, '0'))}`, // prettier-ignore
  'SIRET in an address': (r) => `${street(r)} ${r.pick(['', 'SIRET ', 'SIRET: ', 'RCS Lyon '])}${siret(r)}`,
  SIREN: (r) => `${company(r)} RCS ${r.pick(CITIES)} ${grouped(siren(r), r.pick([[9], [3, 3, 3]]))}`,
  'VAT number': (r) => `TVA ${r.pick([vat(siren(r)), `ES${r.pick(['A', 'B'])}${digits(r, 8)}`, `IT${digits(r, 11)}`, `BE0${digits(r, 9)}`, `SE${digits(r, 10)}01`])}`, // prettier-ignore
  'VAT number beside a SIRET': (r) => vatAndSiret(r),
  EORI: (r) => `EORI FR${siret(r)}`,
  'IBAN of France': (r) => `IBAN ${inFours(r, iban('FR', digits(r, 23)))}`,
  'IBAN of Spain': (r) => `${inFours(r, iban('ES', digits(r, 20)))} ${r.pick(NAMES)}`,
  'IBAN of others': (r) => `${r.pick(NAMES)} ${inFours(r, r.pick([iban('DE', digits(r, 18)), iban('BE', digits(r, 12)), iban('LU', digits(r, 16)), iban('PT', digits(r, 21)), iban('NL', `ABNA${digits(r, 10)}`)]))}`, // prettier-ignore
  'bank account (RIB, CCC)': (r) => r.pick([`RIB ${grouped(digits(r, 23), [5, 5, 11, 2])}`, `CCC ${grouped(digits(r, 20), [4, 4, 2, 10])}`]), // prettier-ignore
  'social security number of France': (r) => `NIR ${grouped(nir(r), r.pick([[15], [13, 2], [1, 2, 2, 2, 3, 3, 2]]))}`,
  'social security number of Spain': (r) => `NUSS ${grouped(padded(r, 53, 2) + digits(r, 10), r.pick([[12], [2, 8, 2]]))}`, // prettier-ignore
  'NIF, NIE, CIF': (r) => `NIF ${r.pick([`${digits(r, 8)}${letter(r)}`, `X${digits(r, 7)}${letter(r)}`, `B-${digits(r, 8)}`])}`, // prettier-ignore
  'tax number': (r) => `numéro fiscal ${r.below(4)}${digits(r, 12)}`,
  // Articles
  'EAN-13': (r) => `${r.pick(ARTICLES)} ${ean(r)}`,
  'UPC of America': (r) => `${r.pick(ARTICLES)} ${withGs1(r.pick(['0', '1', '6', '7', '8']) + padded(r, 1e10, 10))}`,
  'EAN-13 by name': (r) => `${r.pick(['EAN', 'GTIN', 'EAN-13', 'ean:'])} ${ean(r)}`,
  'two EANs': (r) => `${ean(r)}${r.pick([' ', ', ', ';', '-'])}${ean(r)}`,
  'ISBN-13': (r) => `ISBN ${grouped(withGs1(`978${digits(r, 9)}`), r.pick([[13], [3, 1, 2, 6, 1], [3, 1, 4, 4, 1]]), '-')}`, // prettier-ignore
  IMEI: (r) => `${r.pick(['IMEI ', 'Galaxy S24 ', 'iPhone '])}${withLuhn(r.pick(['35', '86', '01', '99']) + padded(r, 1e12, 12))}`, // prettier-ignore
  'serial number': (r) =>
    `S/N ${letter(r)}${padded(r, 100, 2)}${letter(r)}${letter(r)}${digits(r, r.pick([6, 8, 10, 12, 13]))}`,
  'article numbers': (r) => Array.from({ length: 3 }, () => digits(r, r.pick([5, 7, 8]))).join(r.pick([', ', ' / ', ' + '])), // prettier-ignore
  'list of models': (r) => `Cartouche pour HP ${Array.from({ length: 3 + r.below(5) }, () => `${1 + r.below(9)}${padded(r, 100, 2)}${r.pick(['0', '5'])}`).join('/')}`, // prettier-ignore
  ventilation: (r) => `${r.pick(['Gaine CVC', 'Filtre CVC :', 'Thermostat CVC-'])} ${100 + r.below(900)}${r.pick([' mm', 'mm', ' x 400', ' W'])}`, // prettier-ignore
  'book of puzzles': (r) => `${r.pick(['Cryptograms', 'Large Print Cryptograms:'])} ${100 + r.below(900)} puzzles`,
  'prices and sizes': (r) => `${r.below(9) + 1} x ${digits(r, 3)},${padded(r, 100, 2)} EUR, ${digits(r, 3)}x${digits(r, 3)}x${digits(r, 2)} cm`, // prettier-ignore
  // Orders and parcels
  'order number of a shop': (r) => `Commande n° ${r.pick(['', 'CMD-', 'FR', '#'])}${digits(r, r.pick([6, 7, 9, 10, 12, 13]))}`, // prettier-ignore
  'order number with a date': (r) => `${day(r).replaceAll('-', r.pick(['', '-']))}${r.pick(['', '-'])}${digits(r, r.pick([4, 6, 8]))}`, // prettier-ignore
  'order number with a day first': (r) =>
    `${day(r).split('-').reverse().join('')}${r.pick(['-', ' ', '/'])}${digits(r, 8)}`,
  'reference with a date of six digits': (r) => `order ${day(r).slice(2).replaceAll('-', '')}${r.pick(['-', ' ', '_', '.'])}${padded(r, 1e10, 10)}`, // prettier-ignore
  'date and phone': (r) =>
    `rdv ${day(r).slice(2).split('-').reverse().join('')} 0${6 + r.below(2)}${padded(r, 1e8, 8)}`,
  'postcode and phone': (r) => `Cluj-Napoca 4000${padded(r, 100, 2)} 07${padded(r, 1e8, 8)}`,
  'order of Amazon': (r) => `Amazon ${r.pick(['171', '302', '305', '402', '403', '404', '405', '406', '407', '408'])}-${padded(r, 1e7, 7)}-${padded(r, 1e7, 7)}`, // prettier-ignore
  'order of Amazon in one piece': (r) =>
    `Amazon${r.pick([' ', ' n° ', ': '])}${300 + r.below(200)}${padded(r, 1e14, 14)}`,
  'order of eBay': (r) => `eBay ${padded(r, 100, 2)}-${padded(r, 1e5, 5)}-${padded(r, 1e5, 5)}`,
  'order of Cdiscount': (r) => `Cdiscount ${padded(r, 1e10, 10)}${letter(r)}${letter(r)}${letter(r)}${letter(r)}${letter(r)}`, // prettier-ignore
  'order of TikTok Shop': (r) => `TikTok 57${padded(r, 1e16, 16)}`,
  'order of Temu': (r) => `PO-076-${padded(r, 1e17, 17)}`,
  'order of Shopify': (r) => `shopify ${r.pick(['4', '5', '6'])}${padded(r, 1e12, 12)}`,
  'order of Zalando': (r) => `Zalando 10${padded(r, 1e12, 12)}`,
  parcel: (r) => `colis ${r.pick([`6A${padded(r, 1e11, 11)}`, `XY${padded(r, 1e9, 9)}FR`, `0${padded(r, 1e13, 13)}`, `JJD00${padded(r, 1e16, 16)}`, `00${padded(r, 1e18, 18)}`])}`, // prettier-ignore
  'parcel of UPS': (r) => `UPS ${r.pick([(number: string) => number, (number: string) => number.toLowerCase(), (number: string) => grouped(number, [2, 3, 3, 2, 4, 4])])(parcelOfUps(r))}`, // prettier-ignore
  'parcel of Amazon': (r) => `${r.pick(['', 'colis ', 'suivi: '])}TBA${padded(r, 1e12, 12)}`,
  'parcel of Correos': (r) => `${r.pick(['', 'envío '])}P${r.pick(['Q', 'K', 'R', 'S'])}${digits(r, 2)}${letter(r)}${digits(r, 1)}${padded(r, 1e16, 16)}${r.pick(['Y', 'T', 'R', 'W'])}`, // prettier-ignore
  'parcel of DHL eCommerce': (r) => `${r.pick(['', 'DHL ', 'suivi '])}GM${padded(r, 1e16, 16)}`,
  'parcel of GS1 (SSCC)': (r) => `${r.pick(['SSCC ', 'SSCC: ', '(00)', '(00) ', 'palette ', 'colis n° '])}${withGs1(padded(r, 1e17, 17))}`, // prettier-ignore
  "creditor's reference (ISO 11649)": (r) => `${r.pick(['', 'ref. '])}${inFours(r, iban('RF', r.pick([digits(r, 17), digits(r, 14), digits(r, 20), `INV${digits(r, 16)}`])))}`, // prettier-ignore
  invoice: (r) => `Facture FA-${2020 + r.below(9)}-${padded(r, 1e6, 6)} du ${day(r)}`,
  // Machines
  'time-stamp': (r) => r.pick([`${day(r)}T${clock(r)}.${padded(r, 1000, 3)}Z`, `${day(r)} ${clock(r)}`, `${day(r)} ${clock(r)} ${day(r)} ${clock(r)}`]), // prettier-ignore
  'time-stamp in one piece': (r) => r.pick([`${day(r)}${clock(r)}${padded(r, 1000, 3)}`.replace(/\D/g, ''), `${day(r)}${clock(r)}`.replace(/\D/g, '')]), // prettier-ignore
  'time since 1970': (r) => `t=${17 + r.below(2)}${padded(r, 1e8, 8)}${padded(r, 1000, r.pick([3]))}${r.pick(['', '000', '000000'])}`, // prettier-ignore
  coordinates: (r) => `${r.pick(['', '-'])}${r.below(90)}.${padded(r, 1e7, 7)},${r.below(180)}.${padded(r, 1e7, 7)}`,
  'coordinates with many decimals': (r) => `${r.below(90)}.${decimals(r)}${r.pick([',', ', ', ' '])}${r.pick(['', '-'])}${r.below(180)}.${decimals(r)}`, // prettier-ignore
  UUID: (r) => grouped(hex(r, 32), [8, 4, 4, 4, 12], '-'),
  'hash in hexadecimal': (r) => hex(r, 64),
  'id of a visitor': (r) => `GA1.2.${digits(r, 10)}.17${padded(r, 1e8, 8)}; fb.1.17${padded(r, 1e11, 11)}.${digits(r, 10)}`, // prettier-ignore
  'JSON of a basket': (r) => JSON.stringify({ basket: r.below(1e9), at: 1_700_000_000_000 + r.below(1e11), ean: Number(ean(r)), total: r.below(2e5) }), // prettier-ignore
  'loyalty card': (r) => `carte de fidélité ${withGs1(`2${padded(r, 1e11, 11)}`)}`,
  // People
  phones: (r) => Array.from({ length: 2 }, () => phone(r)).join(r.pick([', ', ' / ', ' '])),
  'phones without +': (r) => r.pick([`0033${digits(r, 9)}`, `0034${digits(r, 9)}`, `33${digits(r, 9)}`, `49151${padded(r, 1e8, 8)}`]), // prettier-ignore
  address: (r) => `${street(r)}, ${padded(r, 95_999, 5)} ${r.pick(CITIES)}, digicode ${padded(r, 1e4, 4)}`,
  dates: (r) => `${day(r)} - ${day(r)}, ${day(r).split('-').reverse().join('/')}`,
};

const NAMES = ['Dupont', 'Martín', 'Moreau', 'Lefèvre', 'García', 'Petit'];
const CITIES = ['Paris', 'Lyon', 'Madrid', 'Sevilla', 'Lille'];
const ARTICLES = ['Perceuse 18 V', 'Stylo bleu', 'Carte graphique 8 Go', 'Silla plegable', 'Carte SD 64 Go'];
/** Prefixes of GS1: France, Germany, Spain, Italy, China and others. */
const GS1 = ['300', '326', '376', '400', '405', '440', '540', '560', '590', '690', '693', '697', '764', '800', '841', '843', '871', '471', '490']; // prettier-ignore

const letter = (r: Random) => String.fromCharCode(65 + r.below(26));
const hex = (r: Random, count: number) => Array.from({ length: count }, () => r.below(16).toString(16)).join('');
const decimals = (r: Random) => padded(r, 1e15, r.pick([14, 15])).padEnd(r.pick([14, 15, 16]), '7');
const ean = (r: Random) => withGs1(r.pick([...GS1, `50${r.below(10)}`]) + padded(r, 1e9, 9));
const day = (r: Random) => new Date(1_700_000_000_000 + r.below(3_000) * 86_400_000).toISOString().slice(0, 10);
const clock = (r: Random) => `${padded(r, 24, 2)}:${padded(r, 60, 2)}:${padded(r, 60, 2)}`;
const street = (r: Random) => `${1 + r.below(200)} rue ${r.pick(NAMES)}`;
const company = (r: Random) =>
  `${r.pick(['SARL ', 'SAS ', 'SASU ', 'EURL ', 'SA ', 'Société ', 'Ets ', ''])}${r.pick(NAMES)}`;
const nir = (r: Random) => `${1 + r.below(2)}${padded(r, 100, 2)}${padded(r, 12, 2)}${padded(r, 96, 2)}${padded(r, 1e6, 6)}${padded(r, 97, 2)}`; // prettier-ignore
const inFours = (r: Random, text: string) => (r.chance(0.5) ? text : grouped(text, Array<number>(8).fill(4)));

function vatAndSiret(r: Random): string {
  const company = siren(r);
  const number = withLuhn(company + String(1 + r.below(9_999)).padStart(4, '0'));
  return `${vat(company)}${r.pick([' ', ' - ', ', '])}${number}`;
}

function phone(r: Random): string {
  const national = padded(r, 1e8, 8);
  return r.pick([`+33 6 ${grouped(national, [2, 2, 2, 2])}`, `06 ${grouped(national, [2, 2, 2, 2])}`, `+34 6${national}`, `06${national}`, `0034 6${grouped(national, [2, 3, 3])}`]); // prettier-ignore
}

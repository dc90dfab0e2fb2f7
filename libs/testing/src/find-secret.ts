/**
 * The encodings in which a text contains the digits: plain, separated, as character codes, or in base64 at any alignment. Short digits (a
 * CVV) count only if they stand alone, because every timestamp contains three digits.
 */
export function findSecret(text: string, digits: string): string[] {
  return Object.entries(disguises(digits))
    .filter(([, pattern]) => pattern.test(text))
    .map(([way]) => way);
}

const SHORT = 6;

function disguises(digits: string): Record<string, RegExp> {
  const each = [...digits];
  const bytes = each.map((digit) => digit.charCodeAt(0).toString(16));
  const ways: Record<string, string> = {
    plain: digits,
    separated: each.join('(?:[^0-9A-Za-z]|%20){1,4}'),
    'in groups': `${digits.slice(0, 4)}[^0-9A-Za-z]${digits.slice(4, 8)}[^0-9A-Za-z]${digits.slice(8, 12)}[^0-9A-Za-z]?${digits.slice(12)}`,
    reversed: each.toReversed().join(''),
    percent: bytes.map((byte) => `%${byte}`).join(''),
    hex: bytes.join(''),
    'character codes': each.map((digit) => digit.charCodeAt(0)).join('[^0-9]{1,2}'),
  };
  [0, 1, 2].forEach((shift) => (ways[`base64, ${shift} off`] = base64Core(digits, shift)));
  if (digits.length >= SHORT) return patterns(ways);
  const { plain, percent } = ways;
  return patterns({
    plain: alone(plain),
    percent: alone(percent),
    base64: alone(Buffer.from(digits).toString('base64').replace(/=+$/, '')),
  });
}

function patterns(ways: Record<string, string>): Record<string, RegExp> {
  return Object.fromEntries(Object.entries(ways).map(([way, source]) => [way, new RegExp(source, 'i')]));
}

function alone(source = ''): string {
  return `(?<![0-9A-Za-z+/_.-])${source}(?![0-9A-Za-z+/_.-])`;
}

/** The base64 characters that do not depend on the surrounding bytes, if the digits begin `shift` bytes into a group of three. */
function base64Core(digits: string, shift: number): string {
  const encoded = Buffer.from('\0'.repeat(shift) + digits)
    .toString('base64')
    .replace(/=+$/, '');
  const first = shift === 0 ? 0 : shift + 1;
  const whole = Math.floor(((shift + digits.length) * 8) / 6);
  return encoded.slice(first, whole).replace(/[+/]/g, (character) => (character === '+' ? '[-+]' : '[/_]'));
}

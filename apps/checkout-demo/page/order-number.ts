/** Digits and letters that are not mistaken for each other, neither read nor heard (Crockford's base 32). */
const SYMBOLS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * The number that people read, say and search, such as `7QK2-M9XD`: the first 40 bits of ORDERID. It names an order to people only. All doors
 * and the platform take the whole ORDERID, so two orders with the same number would only be found together.
 */
export function orderNumber(orderId: string): string {
  const symbols = (hex: string) =>
    SYMBOLS_OF_20_BITS.map((shift) => SYMBOLS[(parseInt(hex, 16) >> shift) & 31]).join('');
  return `${symbols(orderId.slice(0, 5))}-${symbols(orderId.slice(5, 10))}`;
}

const SYMBOLS_OF_20_BITS = [15, 10, 5, 0];

/** As somebody types a number: in lower case, without the hyphen, with letters that the number does not use. */
export const readOrderNumber = (typed: string): string =>
  typed.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1');

import {
  fault,
  methodOfRail,
  methodRow,
  METHODS,
  validateCommandData,
  type CardPayment,
  type Fault,
  type Market,
  type PartnerAAuthorization,
  type PartnerBAuthorization,
  type Rail,
} from '@tranche/contracts';
import { amountOf, type CartLine } from '../shop/catalogue.js';
import { takesAmount } from '../shop/methods.js';
import { compact, SHIP_TO, TOKEN_LIFETIME_MS, tokenizedAtMs, type CheckoutForm } from './checkout-form.js';

export type PaymentCommand =
  | { type: 'payment.authorize'; data: PartnerAAuthorization | PartnerBAuthorization }
  | { type: 'payment.pay'; data: CardPayment };

/** The part of a payment that the shop decides; the page cannot set any of it. */
export interface PaymentContext {
  merchant: string;
  market: Market;
  orderId: string;
  lines: readonly CartLine[];
  supersedes?: string;
  pageUrl: string;
  userAgent: string;
  ip: string;
  nowMs: number;
}

type BuiltCommand =
  { command: PaymentCommand; notAfterMs: number; faults: [] } | { command?: undefined; faults: Fault[] };

/** Builds a command or returns all faults. Paths of a separate delivery address begin with `shipTo`, all others are the contracts'. */
export function paymentCommand(form: CheckoutForm, context: PaymentContext): BuiltCommand {
  const built = builtCommand(form, context);
  if (built.command !== undefined || form.shipping === undefined) return built;
  return { faults: built.faults.map((one) => ({ ...one, path: one.path.replace(/^shipping\b/, SHIP_TO) })) };
}

/** Every method needs an address, because the goods are delivered there. */
function builtCommand(form: CheckoutForm, context: PaymentContext): BuiltCommand {
  const { method } = form;
  const faults: Fault[] = [];
  if (!takesAmount(method, amountOf(context.lines)))
    faults.push(fault('method', 'amount_out_of_range', 'does not take this amount'));
  if (method.rail !== 'card') {
    const data = authorization(form, context);
    const built = checked(method.rail, data, notAfterMs(context.nowMs), faults);
    const others = [...missingFaults(method.rail, data), ...phoneFaults(method.rail, data, context.market)];
    return others.length === 0 ? built : { faults: [...built.faults, ...others] };
  }
  const tokenizedMs = tokenizedAtMs(form, context.nowMs);
  if (tokenizedMs === undefined)
    faults.push(fault('tokenizedAt', 'range', 'the token is too old, or its age is not said'));
  const address = validateCommandData(
    'partner-a',
    'payment.authorize',
    authorization({ ...form, unknown: {} }, context),
    ADDRESS_NEEDED,
  );
  const payment = cardPayment(form, context, tokenizedMs ?? context.nowMs);
  return checked('card', payment, notAfterMs(tokenizedMs ?? context.nowMs), [...faults, ...address.faults]);
}

/** The shop always needs the whole address for delivery, even if its account accepts less. */
const ADDRESS_NEEDED = { requirements: 'all' } as const;

/** Returns only absent address fields; `checked` validates the present ones. */
function missingFaults(rail: Rail, data: object): Fault[] {
  const { faults } = validateCommandData(rail, 'payment.authorize', data, ADDRESS_NEEDED);
  return faults.filter(({ path, code }) => code === 'required' && /^(?:billing|shipping)\./.test(path));
}

/**
 * Finds mobile phones that the market's accounts do not accept. The gateway would refuse them when the person can no longer correct them.
 */
function phoneFaults(rail: Rail, { billing, shipping }: ReturnType<typeof authorization>, market: Market): Fault[] {
  const form = methodRow(methodOfRail(rail)).phones?.[market]?.mobilePhone;
  if (form === undefined) return [];
  return Object.entries({ billing, shipping })
    .filter(([, { mobilePhone }]) => typeof mobilePhone === 'string' && !form.pattern.test(mobilePhone))
    .map(([address]) => fault(`${address}.mobilePhone`, 'phone_not_in_market', `must be ${form.says}`));
}

/** After this time the person no longer waits, so the payment must not start. */
const notAfterMs = (fromMs: number): number => fromMs + TOKEN_LIFETIME_MS;

function checked(rail: Rail, data: object, endMs: number, others: readonly Fault[]): BuiltCommand {
  const type = `payment.${METHODS[methodOfRail(rail)].begins}` as const;
  const { value, faults } = validateCommandData(rail, type, { ...data, notAfter: new Date(endMs).toISOString() });
  if (value === undefined || others.length > 0) return { faults: [...others, ...faults] };
  return { command: { type, data: value } as PaymentCommand, notAfterMs: endMs, faults: [] };
}

function authorization({ method, customer, shipping, unknown }: CheckoutForm, context: PaymentContext) {
  const isOfB = method.rail === 'partner-b';
  const isOfA = method.rail === 'partner-a';
  const { birthDate } = customer;
  return {
    ...common(context),
    ...refused(unknown),
    paymentOption: method.option ?? 'partnerA-3xcb',
    ...(isOfA && { prescoringCode: prescoringOf(context) }),
    client: { ...client(customer, context), ...(isOfA && birthDate !== undefined && { birthDate }) },
    billing: addressOf(customer),
    shipping: { ...addressOf(shipping ?? customer), ...(shipping?.companyName !== undefined && { companyName: shipping.companyName }) }, // prettier-ignore
    cart: context.lines.map((line) => (isOfB ? itemOfB(line, context.nowMs) : { totalAmount: totalOf(line) })),
  };
}

function addressOf({
  title,
  firstName,
  lastName,
  address,
  postalCode,
  city,
  country,
  mobilePhone,
}: CheckoutForm['customer']) {
  const to = { firstName, lastName, address, postalCode, city, country, mobilePhone: compact(mobilePhone) };
  return title === undefined ? to : { title, ...to };
}

/** PRESCORINGCODE is the merchant's own risk estimate. This shop knows no earlier orders of a guest, so it uses the amount only. */
function prescoringOf({ lines }: Pick<PaymentContext, 'lines'>): string {
  const amount = amountOf(lines);
  if (amount <= 50_000) return 'LOW';
  return amount <= 150_000 ? 'MEDIUM' : 'HIGH';
}

function cardPayment({ customer, card, unknown }: CheckoutForm, context: PaymentContext, tokenizedMs: number): object {
  const { hfToken, selectedBrand, cardFullName } = card;
  return {
    ...common(context),
    ...refused(unknown),
    hfToken,
    tokenizedAt: new Date(tokenizedMs).toISOString(),
    selectedBrand,
    cardFullName,
    client: { ...client(customer, context), referrer: context.pageUrl },
  };
}

/**
 * Puts unknown fields under a name that no command has, so that the contracts search and refuse them and none sets a field of the
 * command.
 */
function refused(unknown: CheckoutForm['unknown']) {
  return Object.keys(unknown).length === 0 ? {} : { notOfThePage: unknown };
}

function common({ merchant, orderId, lines, supersedes }: PaymentContext) {
  const count = lines.reduce((sum, { quantity }) => sum + quantity, 0);
  const description = `Maison Roitelet, ${count} ${count === 1 ? 'article' : 'articles'}`;
  return {
    merchant,
    orderId,
    amount: amountOf(lines),
    description,
    ...(supersedes === undefined ? {} : { supersedes }),
  };
}

/** CLIENTIDENT: guests have no account, so we derive it from the order. */
function client({ email }: CheckoutForm['customer'], { orderId, userAgent, ip }: PaymentContext) {
  return { id: `guest-${orderId}`, email, userAgent: userAgent.slice(0, 255) || 'unknown', ip };
}

const DELIVERY_DAYS = 3;

function itemOfB(line: CartLine, nowMs: number) {
  const { sku, name, price, category, brand } = line.article;
  return {
    merchantItemId: sku,
    name,
    price,
    quantity: line.quantity,
    category,
    brand,
    deliveryLabel: 'Carrier to the door',
    deliverySpeed: 'standard',
    deliveryType: 'carrier',
    deliveryExpectedDate: new Date(nowMs + DELIVERY_DAYS * 86_400_000).toISOString().slice(0, 10),
    deliveryExpectedDelay: DELIVERY_DAYS,
    totalAmount: totalOf(line),
  };
}

const totalOf = ({ article, quantity }: CartLine): number => article.price * quantity;

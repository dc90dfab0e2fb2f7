import { METHOD_TEXTS, type MethodId } from './method-texts.js';
import { es } from './texts-es.js';
import { fr } from './texts-fr.js';

/**
 * A new language needs its code here and a file like texts-fr.ts; the compiler lists missing texts. The methods' names: method-texts.ts.
 */
export const LANGUAGES = { en: 'English', fr: 'Français', es: 'Español' } as const;
export type Language = keyof typeof LANGUAGES;

const en = {
  tagline: 'Quiet things for the house',
  language: 'Language',
  skip: 'Skip to the content',
  demo: 'A demonstration: nothing is sold and no money moves.',
  checkout: 'Your order',
  cart: 'Cart',
  quantity: 'Quantity of {name}',
  each: '{price} each',
  total: 'Total',
  'article.lamp-hazel': 'Hazel desk lamp',
  'article.chair-wren': 'Wren oak chair',
  'article.teapot-mist': 'Mist stoneware teapot',
  contact: 'Contact',
  delivery: 'Billing and delivery address',
  shipElsewhere: 'Deliver to another address',
  title: 'Title',
  'title.mr': 'Mr',
  'title.mrs': 'Mrs',
  'title.miss': 'Miss',
  birthDate: 'Date of birth',
  birthDateHint: 'May be left out. The form of the provider asks for it otherwise.',
  companyName: 'Company',
  firstName: 'First name',
  lastName: 'Last name',
  email: 'E-mail',
  mobilePhone: 'Mobile phone',
  phoneHint: 'With the country code, such as +33 6 12 34 56 78',
  address: 'Address',
  postalCode: 'Postal code',
  city: 'City',
  country: 'Country',
  method: 'How would you like to pay?',
  'hint.a1euro': 'The provider shows you its terms before you agree to anything.',
  'hint.provider': 'You finish on the form of the provider, and come back here.',
  unavailable: 'For orders from {min} to {max} only.',
  schedule: 'Your instalments',
  today: 'today',
  card: 'Card',
  cardHint: 'Your card is encrypted in this page. The shop never sees its number.',
  'card-number': 'Card number',
  'card-expiry': 'Expiry date (MM/YY)',
  'card-cvv': 'Security code',
  'card-name': 'Name on the card',
  'card-brand': 'Brand',
  numberHint: 'As it stands on the card',
  expiryHint: 'Month and year: 12/29',
  cvvHint: '3 or 4 digits on the card',
  pay: 'Pay {amount}',
  earlier: 'You have placed an order from this cart already.',
  seeOrder: 'See how it stands',
  newOrder: 'Begin a new order',
  otherMethod: 'Choose another way to pay',
  openAgain: 'Try again',
  toProvider: 'Continue to the form of the provider',
  orderNumber: 'Order number',
  paidWith: 'Payment',
  articles: 'Articles',
  connectionLost: 'The connection was lost. Trying again…',
  'status.ready': '',
  'status.tokenizing': 'Encrypting your card…',
  'status.sending': 'Sending your payment…',
  'status.waiting': 'We are waiting for the confirmation of your payment. This page shows it by itself.',
  'status.late': 'This takes longer than usual. You may close this page: we will tell you. Do not pay again.',
  'status.awaited':
    'We are waiting for the confirmation of the provider. That may take some minutes. Please do not pay again.',
  'status.overdue':
    'You came back from the provider, and its confirmation has not come yet. You may have paid: look at your account or ask us before you pay again.',
  'status.closed': 'The shop does not answer now. Nothing was sent: please try again.',
  'status.redirect': 'Your payment is not finished: please complete it on the form of the provider.',
  'status.pending': 'The provider is looking at your request. That may take up to six days; we will tell you.',
  'status.succeeded': 'Thank you. Your payment was accepted and your order is on its way.',
  'status.refused': 'Your payment was refused. No money was taken.',
  'status.in_doubt':
    'We do not know yet whether your payment went through. We will find out and tell you. Please do not pay again.',
  'status.rejected': 'Your payment could not be made. No money was taken.',
  'status.expired': 'The provider gave no answer in time. Should it still accept your payment, this page says so.',
  'status.conflict':
    'Something about this payment must be looked at by a person. Please do not pay again: we will write to you.',
  'status.unknown':
    'We do not know this order in this browser. Please open it in the browser in which you ordered, or look at our e-mail.',
  'reason.funds': 'There is not enough money on the account for this amount.',
  'reason.card': 'This card cannot be used. Look at its details, or take another card.',
  'reason.abandoned': 'You left the form of the provider.',
  'reason.authentication': 'Your bank could not make sure that it was you.',
  'reason.expired_form': 'The form of the provider was open for too long.',
  'reason.fraud': 'Please choose another way to pay.',
  'reason.bank': 'Your bank gives no reason. It can tell you more.',
  'reason.token': 'Too much time had passed. Please enter your details again.',
  'reason.unavailable': 'The payment service did not answer. Please try again in a few minutes.',
  'reason.shop': 'That was our fault and not yours. Please choose another way to pay, or write to us.',
  'reason.unsent': 'If nothing has changed here by tomorrow, write to us with the order number: we look it up.',
  errors: 'Please look at this again:',
  'fault.required': 'Please fill this in.',
  'fault.length': 'This is too long or too short.',
  'fault.format': 'This is not in the form that is needed.',
  'fault.enum': 'Please choose one of the list.',
  'fault.card_data_forbidden': 'Please write no card number here.',
  'fault.amount_out_of_range': 'This way to pay does not take this amount.',
  'fault.firstName.length': 'At most 15 characters.',
  'fault.lastName.length': 'At most 15 characters.',
  'fault.ship-lastName.length': 'At most 30 characters.',
  'fault.companyName.length': 'At most 50 characters.',
  'fault.birthDate.format': 'This must be a day, such as 1984-02-29.',
  'fault.address.length': 'At most 38 characters.',
  'fault.city.length': 'At most 32 characters.',
  'fault.email.format': 'This must be an e-mail address; some ways to pay do not take a + in it.',
  'fault.mobilePhone.format': 'This must begin with + and the country code, such as +33612345678.',
  'fault.mobilePhone.phone_not_in_market':
    'This way to pay needs a Spanish mobile phone: +34, then 6 or 7, and 8 digits, such as +34 612 34 56 78.',
  'fault.card-number.format': '12 to 19 digits.',
  'fault.card-number.check_digit': 'A digit of this number is wrong: please compare it with your card.',
  'fault.refused': 'This was refused: please look at it again.',
  'fault.card-brand.refused': 'This card does not have this brand. Please choose another one.',
  'fault.card-expiry.format': 'Month and year, such as 12/29.',
  'fault.card-cvv.format': '3 or 4 digits.',
  'fault.cart.length': 'Your cart is empty.',
  'fault.card-token.range': 'Too much time has passed. Please pay again: nothing was sent.',
  'failed.refused': 'The card was refused. Look at its details, or take another card.',
  'failed.expired': 'This card has expired.',
  'failed.number': 'There is no card with this number.',
  'failed.encryption':
    'The card cannot be encrypted now. Nothing was sent: please try again, or choose another way to pay.',
  'failed.browser': 'This page cannot encrypt cards in your browser. Choose another way to pay.',
  'failed.unavailable': 'This could not be sent on now. Your entries are kept: press again. Nothing is sent twice.',
  'failed.again':
    'Not sent on yet. This page keeps trying; as long as the form is here you may press again. Nothing is sent twice.',
  'failed.notPossible': 'This order cannot be paid again now. Look at how it stands.',
  'failed.rate': 'That was a lot at once. Please wait a minute.',
  'failed.other': 'Something went wrong. Your entries are kept: please try again.',
};

export type OwnKey = keyof typeof en;
type MethodKey = `method.${MethodId}`;
export type TextKey = OwnKey | MethodKey;

const OWN: Record<Language, Record<OwnKey, string>> = { en, fr, es };

export const TEXTS = Object.fromEntries(
  Object.entries(OWN).map(([language, own]) => [language, { ...own, ...methodTexts(language as Language) }]),
) as Record<Language, Record<TextKey, string>>;

function methodTexts(language: Language): Record<MethodKey, string> {
  const texts = Object.entries(METHOD_TEXTS).map(([id, text]) => [`method.${id}`, text[language]]);
  return Object.fromEntries(texts) as Record<MethodKey, string>;
}

/** Value lists of the interface, as they stand on the wire. */
export const PROTOCOL_VERSION = '3.0';

export const OPERATION_TYPES = ['authorization', 'capture', 'refund', 'void', 'payment'] as const;
export type OperationType = (typeof OPERATION_TYPES)[number];

export const PAYMENT_OPTIONS_A = ['partnerA-3xcb', 'partnerA-4xcb', 'partnerA-4xwallet', 'partnerA-1euro'] as const;
export type PaymentOptionA = (typeof PAYMENT_OPTIONS_A)[number];

export const PAYMENT_OPTIONS_B = ['partnerB-3x', 'partnerB-3xsansfrais', 'partnerB-4x', 'partnerB-4xsansfrais'] as const;
export type PaymentOptionB = (typeof PAYMENT_OPTIONS_B)[number];

export const TITLES = ['mr', 'miss', 'mrs'] as const;
export type Title = (typeof TITLES)[number];

export const CATEGORIES = [
  'computersandsoftware',
  'electronics',
  'appliances',
  'homeandgarden',
  'fashion',
  'healthandbeauty',
  'jewellery',
  'sport',
  'leisureandhobbies',
  'carsandmotorbikes',
  'furniture',
  'kidsandbaby',
  'videogamesandconsoles',
  'toysandgames',
  'pets',
  'foodanddrink',
  'giftandflowers',
  'entertainment',
  'travel',
  'auctionsandgroupbuying',
  'servicesforindividuals',
  'servicesforprofessionals',
] as const;
export type Category = (typeof CATEGORIES)[number];

export const DELIVERY_SPEEDS = ['standard', 'express'] as const;
export type DeliverySpeed = (typeof DELIVERY_SPEEDS)[number];

export const DELIVERY_TYPES = ['storepickup', 'networkpickup', 'travelpickup', 'carrier', 'edelivery'] as const;
export type DeliveryType = (typeof DELIVERY_TYPES)[number];

export const BRANDS = ['cb', 'visa', 'vpay', 'electron', 'mastercard', 'maestro'] as const;
export type Brand = (typeof BRANDS)[number];

/** SUBMERCHANTEXTERNALID of an item that the marketplace itself sells. */
export const MARKETPLACE_OPERATOR = 'OPERATOR';

const LANGUAGES_A = ['fr', 'en', 'de', 'es', 'it', 'nl', 'zh', 'ru', 'pt', 'sk'] as const;
const LANGUAGES_B = ['fr', 'en', 'de', 'es', 'it', 'nl', 'zh', 'ru', 'pt', 'cs'] as const;

/** LANGUAGE of a notification. The card rail's list is not shown: both are taken. */
export const LANGUAGES = { A: LANGUAGES_A, B: LANGUAGES_B, card: [...LANGUAGES_A, 'cs'] } as const;
export type Language = (typeof LANGUAGES_A)[number] | (typeof LANGUAGES_B)[number];

export const MARKETS = ['FR', 'ES'] as const;
export type Market = (typeof MARKETS)[number];

/** OPERATIONTYPE of each kind of ours. */
export const OPERATION_TYPE_OF = {
  authorize: 'authorization',
  capture: 'capture',
  refund: 'refund',
  void: 'void',
  pay: 'payment',
} as const satisfies Record<string, OperationType>;

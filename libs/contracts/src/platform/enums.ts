import { OPERATION_KINDS, type OperationKind } from '../message-types.js';

/** Values of the interface with their exact spelling. Values that depend on the payment method are in `methods.ts`. */
export const PROTOCOL_VERSION = '3.0';

export const OPERATION_TYPES = ['authorization', 'capture', 'refund', 'void', 'payment'] as const;
export type OperationType = (typeof OPERATION_TYPES)[number];

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

/** OPERATIONTYPE of each operation kind. */
export const OPERATION_TYPE_OF = {
  authorize: 'authorization',
  capture: 'capture',
  refund: 'refund',
  void: 'void',
  pay: 'payment',
} as const satisfies Record<OperationKind, OperationType>;

const KIND_OF_TYPE = new Map(OPERATION_KINDS.map((kind): [string, OperationKind] => [OPERATION_TYPE_OF[kind], kind]));

/** The operation kind of an OPERATIONTYPE; undefined if we do not know it. */
export function operationKindOf(operationType: string): OperationKind | undefined {
  return KIND_OF_TYPE.get(operationType);
}

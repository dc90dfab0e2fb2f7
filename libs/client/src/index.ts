import 'reflect-metadata';

export { Tranche, type MetricsRegistry, type TrancheOptions } from './tranche.js';
export type { ClientHealth, TrancheClient } from './subscription.js';
export { Publisher, type Published, type PublisherOptions } from './publisher.js';
export { newCommandId, type CommandMessage, type FollowUpOptions, type PublishOptions } from './commands.js';
export type { WaitOptions } from './result-waits.js';
export type {
  EventContext,
  EventHandler,
  EventHandlers,
  SubscribeOptions,
  Subscription,
  Unreadable,
} from './subscription.js';
export type { EventData, EventOf, ResultOf, ResultType } from './payment-events.js';
export {
  ClientClosedError,
  InvalidCommandError,
  InvalidEventError,
  KafkaUnreachableError,
  PublishError,
  ResultTimeoutError,
  TooManyWaitsError,
} from './errors.js';
export { UnknownTopicError } from '@tranche/kafka';
export { fitCustomer, type Fitted, type TextChange } from './fit-customer.js';
export { decodeRedirectHtml } from './payment-events.js';
export {
  amountLimits,
  BRANDS,
  CATEGORIES,
  customerLimits,
  DELIVERY_SPEEDS,
  DELIVERY_TYPES,
  MAX_CART_ITEMS,
  METHODS,
  optionsOf,
  PAYMENT_OPTIONS,
  TITLES,
} from '@tranche/contracts';
export type {
  Authorization,
  Capture,
  CardPayment,
  CloudEvent,
  CommandType,
  EventType,
  Fault,
  MerchantRules,
  Method,
  PartnerAAuthorization,
  PartnerBAuthorization,
  PaymentEvent,
  PaymentOption,
  Rail,
  Refund,
  VoidAuthorization,
} from '@tranche/contracts';

/** The shop's server describes an order with these types: to its page, and to the desk. */

/**
 * `sending`: stored, but we do not know yet if it was published. `waiting`: published, without a result. `redirect`: the cardholder must
 * continue on the provider's form. The other phases are those of the last result event.
 */
export type Phase =
  'sending' | 'waiting' | 'redirect' | 'pending' | 'succeeded' | 'refused' | 'in_doubt' | 'rejected' | 'expired';

export interface PaidCard {
  brand?: string;
  lastFour: string;
}

export interface OrderItem {
  sku: string;
  quantity: number;
  /** Minor units, for one piece. */
  price: number;
}

/** Reason of a refusal, a rejection or a doubt; the page has a text for each. */
export type Reason =
  | 'funds'
  | 'card'
  | 'abandoned'
  | 'authentication'
  | 'expired_form'
  | 'fraud'
  | 'bank'
  | 'token'
  | 'unavailable'
  | 'shop'
  | 'unsent';

/** An order as its page shows it. Anyone with the page's address can read it, so it holds no personal data beyond `PaidCard`. */
export interface OrderView {
  orderId: string;
  /** Increases with each change, so that the page can ignore an older state. */
  version: number;
  /** Minor units. */
  amount: number;
  items: OrderItem[];
  /** RFC 3339. */
  placedAt: string;
  /** `cancelled`: the shop has voided it. */
  status: Phase | 'conflict' | 'cancelled';
  method?: string;
  card?: PaidCard;
  reason?: Reason;
  /** The browser returned with a hint that the order may be paid. `awaited`: the event may still come. `overdue`: it did not come in time. */
  confirmation?: 'awaited' | 'overdue';
  /** Set if a form waits at /orders/ID/provider. The value identifies the form. */
  form?: string;
  /** Number that a new attempt must carry; absent if none may start. */
  nextAttempt?: number;
  /** Minor units that the shop gave back. */
  refunded?: number;
}

export type FollowUpKind = 'capture' | 'refund' | 'void';

/** Why money is given back. A list and no free text, into which somebody might write a card's number. */
export const REFUND_REASONS = ['returned', 'damaged', 'missing', 'goodwill'] as const;
export type RefundReason = (typeof REFUND_REASONS)[number];

export interface Returned {
  sku: string;
  quantity: number;
}

/** An operation that the desk asked for. */
export interface Operation {
  operation: FollowUpKind;
  /** Minor units: asked for, or reported of a success. */
  amount: number;
  phase: Phase;
  execCode?: string;
  /** Set for a refund. */
  reason?: RefundReason;
  /** Articles that a refund is for; absent where it is for an amount. */
  items?: Returned[];
}

/** A state of the desk. `capturing`, `refunding`, `voiding`: asked for, and without a result. */
export const SALE_STATES = [
  ...(['due', 'capturing', 'paid', 'refunding', 'partly', 'refunded', 'voiding', 'cancelled'] as const),
  ...(['open', 'failed', 'doubt'] as const),
];
export type SaleState = (typeof SALE_STATES)[number];

/** An operation that the shop may ask for now, with its largest amount. */
export interface Possible {
  operation: FollowUpKind;
  /** Minor units. */
  most: number;
}

export interface Customer {
  name: string;
  email: string;
}

/** An order as the desk shows it. */
export interface DeskView extends Pick<OrderView, 'orderId' | 'amount' | 'placedAt' | 'status' | 'method' | 'card'> {
  state: SaleState;
  /** Absent for an order from before the shop kept it. */
  customer?: Customer;
  /** `left`: pieces that no refund names yet. */
  items: (OrderItem & { left: number })[];
  captured: number;
  refunded: number;
  /** RFC 3339. */
  captureBy?: string;
  /** True once `payment.capture_window.closing` has come: a day is left. */
  isWindowClosing: boolean;
  followUps: (Operation & { at: string })[];
  /** Number that the next operation must carry. */
  next: number;
  possible: Possible[];
}

import {
  CATEGORIES,
  DELIVERY_SPEEDS,
  DELIVERY_TYPES,
  type Category,
  type DeliverySpeed,
  type DeliveryType,
} from '../platform/enums.js';
import { CalendarDate, Int, OneOf, RequiredByAll, Text } from '../validation/fields.js';
import { CartItem } from './instalment-authorization.js';
import { isPriceTimesQuantity } from './payment-fields.js';

export class PartnerBCartItem extends CartItem {
  @RequiredByAll()
  @Text(1, 256)
  merchantItemId?: string;

  @RequiredByAll()
  @Text(1, 256, { isSearched: true, isTyped: true })
  name?: string;

  /** Minor units, taxes and discounts included. */
  @RequiredByAll()
  @Int(0)
  price?: number;

  /** The interface's number(3). */
  @RequiredByAll()
  @Int(1, 999)
  quantity?: number;

  @RequiredByAll()
  @OneOf(CATEGORIES)
  category?: Category;

  @RequiredByAll()
  @Text(1, 100, { isSearched: true, isTyped: true })
  brand?: string;

  @RequiredByAll()
  @Text(1, 100, { isSearched: true, isTyped: true })
  deliveryLabel?: string;

  @RequiredByAll()
  @OneOf(DELIVERY_SPEEDS)
  deliverySpeed?: DeliverySpeed;

  @RequiredByAll()
  @OneOf(DELIVERY_TYPES)
  deliveryType?: DeliveryType;

  @RequiredByAll()
  @CalendarDate()
  deliveryExpectedDate?: string;

  /** Days. */
  @RequiredByAll('deliveryExpectedDate')
  @Int(1, 3)
  deliveryExpectedDelay?: number;

  @RequiredByAll()
  @Int(0, Number.MAX_SAFE_INTEGER, isPriceTimesQuantity)
  totalAmount?: number;
}

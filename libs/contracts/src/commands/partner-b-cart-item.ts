import {
  CATEGORIES,
  DELIVERY_SPEEDS,
  DELIVERY_TYPES,
  type Category,
  type DeliverySpeed,
  type DeliveryType,
} from '../platform/enums.js';
import { Doc } from '../validation/doc.js';
import { CalendarDate, Int, MinorUnits, OneOf, RequiredByAll, Text } from '../validation/fields.js';
import { CartItem } from './instalment-authorization.js';
import { isPriceTimesQuantity } from './payment-fields.js';

@Doc('An item of the order, with its delivery.')
export class PartnerBCartItem extends CartItem {
  @Doc('MERCHANTITEMID: id of the item in the shop.', 'chair-7')
  @RequiredByAll()
  @Text(1, 256)
  merchantItemId?: string;

  @Doc('NAME: name of the item.', 'Chair')
  @RequiredByAll()
  @Text(1, 256, { isSearched: true, isTyped: true })
  name?: string;

  @Doc('PRICE: price of one piece in minor units, with taxes and after discounts.', 10000)
  @RequiredByAll()
  @MinorUnits()
  price?: number;

  @Doc('QUANTITY: number of pieces.', 3)
  @RequiredByAll()
  @Int(1, 999)
  quantity?: number;

  @Doc("CATEGORY: kind of goods, from the provider's list.", 'furniture')
  @RequiredByAll()
  @OneOf(CATEGORIES)
  category?: Category;

  @Doc('BRAND: brand of the item.', 'Atelier')
  @RequiredByAll()
  @Text(1, 100, { isSearched: true, isTyped: true })
  brand?: string;

  @Doc('DELIVERYLABEL: name of the way of delivery.', 'Carrier to the door')
  @RequiredByAll()
  @Text(1, 100, { isSearched: true, isTyped: true })
  deliveryLabel?: string;

  @Doc('DELIVERYSPEED: express for a delivery in less than 48 hours, else standard.', 'standard')
  @RequiredByAll()
  @OneOf(DELIVERY_SPEEDS)
  deliverySpeed?: DeliverySpeed;

  @Doc('DELIVERYTYPE: place and way of delivery.', 'carrier')
  @RequiredByAll()
  @OneOf(DELIVERY_TYPES)
  deliveryType?: DeliveryType;

  @Doc('DELIVERYEXPECTEDDATE: day on which the delivery is expected.', '2027-03-04')
  @RequiredByAll()
  @CalendarDate()
  deliveryExpectedDate?: string;

  @Doc('DELIVERYEXPECTEDDELAY: days until the delivery. A given deliveryExpectedDate may replace it.', 3)
  @RequiredByAll('deliveryExpectedDate')
  @Int(1, 3)
  deliveryExpectedDelay?: number;

  @Doc("TOTALAMOUNT: price × quantity in minor units. It may differ by the merchant's totalTolerance.", 30000)
  @RequiredByAll()
  @MinorUnits(isPriceTimesQuantity)
  totalAmount?: number;
}

import { optionsOf, type PaymentOptionB } from '../methods.js';
import {
  CATEGORIES,
  DELIVERY_SPEEDS,
  DELIVERY_TYPES,
  TITLES,
  type Category,
  type DeliverySpeed,
  type DeliveryType,
  type Title,
} from '../platform/enums.js';
import { Amount, CalendarDate, Int, Nested, NestedList, OneOf, Optional, RequiredUnless, Text, Timestamp } from '../validation/fields.js';
import {
  CommandId,
  Country,
  Description,
  EmailWithoutPlus,
  FreeField,
  isPriceTimesQuantity,
  MerchantName,
  OrderId,
  Percentage,
  PersonalText,
  PhoneInternational,
  PublicIpv4,
  SingleLineAddress,
} from './payment-fields.js';

export class PartnerBClient {
  @Text(1, 255)
  userAgent!: string;

  @PublicIpv4()
  ip!: string;

  @Text(1, 128)
  id!: string;

  @EmailWithoutPlus()
  email!: string;
}

export class PartnerBBilling {
  @Optional()
  @OneOf(TITLES)
  title?: Title;

  @PersonalText(15)
  firstName!: string;

  @PersonalText(15)
  lastName!: string;

  @SingleLineAddress(38)
  address!: string;

  @Text(1, 9)
  postalCode!: string;

  @PersonalText(32)
  city!: string;

  @Country()
  country!: string;

  @RequiredUnless('mobilePhone')
  @PhoneInternational()
  phone?: string;

  @RequiredUnless('phone')
  @PhoneInternational()
  mobilePhone?: string;
}

export class PartnerBShipping {
  @Optional()
  @PersonalText(50)
  companyName?: string;

  @Optional()
  @OneOf(TITLES)
  title?: Title;

  @PersonalText(15)
  firstName!: string;

  @PersonalText(30)
  lastName!: string;

  @PersonalText(38)
  address!: string;

  @Text(1, 9)
  postalCode!: string;

  @PersonalText(32)
  city!: string;

  @Country()
  country!: string;

  @RequiredUnless('mobilePhone')
  @PhoneInternational()
  phone?: string;

  @RequiredUnless('phone')
  @PhoneInternational()
  mobilePhone?: string;
}

export class PartnerBCartItem {
  @Text(1, 256)
  merchantItemId!: string;

  @Text(1, 256, { holds: 'reference' })
  name!: string;

  /** Minor units, taxes and discounts included. */
  @Int(0)
  price!: number;

  /** number(3) */
  @Int(1, 999)
  quantity!: number;

  @OneOf(CATEGORIES)
  category!: Category;

  @Text(1, 100, { holds: 'reference' })
  brand!: string;

  @Text(1, 100, { holds: 'reference' })
  deliveryLabel!: string;

  @OneOf(DELIVERY_SPEEDS)
  deliverySpeed!: DeliverySpeed;

  @OneOf(DELIVERY_TYPES)
  deliveryType!: DeliveryType;

  @CalendarDate()
  deliveryExpectedDate!: string;

  /** Days. */
  @Int(1, 3)
  deliveryExpectedDelay!: number;

  @Int(0, Number.MAX_SAFE_INTEGER, isPriceTimesQuantity)
  totalAmount!: number;

  @Optional()
  @Percentage()
  discount?: string;

  @Optional()
  @Percentage()
  tax?: string;

  @Optional()
  @Text(1, 255)
  subMerchantExternalId?: string;
}

/** `payment.authorize` on the rail partner-b. */
export class PartnerBAuthorization {
  @MerchantName()
  merchant!: string;

  @OrderId()
  orderId!: string;

  /** The limits of the method table are a rule of the gateway: they depend on the merchant's currency. */
  @Amount()
  amount!: number;

  @OneOf(optionsOf('B'))
  paymentOption!: PaymentOptionB;

  @Description()
  description!: string;

  @Optional()
  @FreeField()
  extraData?: string;

  @Optional()
  @FreeField()
  metadata?: string;

  @Optional()
  @Text(36, 36)
  apiKeyId?: string;

  /** Id of the authorize command whose redirect this one replaces. */
  @Optional()
  @CommandId()
  supersedes?: string;

  @Optional()
  @Timestamp()
  notAfter?: string;

  @Nested(() => PartnerBClient)
  client!: PartnerBClient;

  @Nested(() => PartnerBBilling)
  billing!: PartnerBBilling;

  @Nested(() => PartnerBShipping)
  shipping!: PartnerBShipping;

  @NestedList(() => PartnerBCartItem)
  cart!: PartnerBCartItem[];
}

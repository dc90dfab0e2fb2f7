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
import {
  Amount,
  CalendarDate,
  Int,
  Nested,
  NestedList,
  OneOf,
  Optional,
  RequiredByAll,
  Text,
  Timestamp,
} from '../validation/fields.js';
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

  @RequiredByAll()
  @PersonalText(15)
  firstName?: string;

  @RequiredByAll()
  @PersonalText(15)
  lastName?: string;

  @RequiredByAll()
  @SingleLineAddress(38)
  address?: string;

  @RequiredByAll()
  @Text(1, 9)
  postalCode?: string;

  @RequiredByAll()
  @PersonalText(32)
  city?: string;

  @RequiredByAll()
  @Country()
  country?: string;

  @RequiredByAll('mobilePhone')
  @PhoneInternational()
  phone?: string;

  @RequiredByAll('phone')
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

  @RequiredByAll()
  @PersonalText(15)
  firstName?: string;

  @RequiredByAll()
  @PersonalText(30)
  lastName?: string;

  @RequiredByAll()
  @PersonalText(38)
  address?: string;

  @RequiredByAll()
  @Text(1, 9)
  postalCode?: string;

  @RequiredByAll()
  @PersonalText(32)
  city?: string;

  @RequiredByAll()
  @Country()
  country?: string;

  @RequiredByAll('mobilePhone')
  @PhoneInternational()
  phone?: string;

  @RequiredByAll('phone')
  @PhoneInternational()
  mobilePhone?: string;
}

export class PartnerBCartItem {
  @RequiredByAll()
  @Text(1, 256)
  merchantItemId?: string;

  @RequiredByAll()
  @Text(1, 256, { holds: 'reference' })
  name?: string;

  /** Minor units, taxes and discounts included. */
  @RequiredByAll()
  @Int(0)
  price?: number;

  /** number(3) */
  @RequiredByAll()
  @Int(1, 999)
  quantity?: number;

  @RequiredByAll()
  @OneOf(CATEGORIES)
  category?: Category;

  @RequiredByAll()
  @Text(1, 100, { holds: 'reference' })
  brand?: string;

  @RequiredByAll()
  @Text(1, 100, { holds: 'reference' })
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
  @RequiredByAll()
  @Int(1, 3)
  deliveryExpectedDelay?: number;

  @RequiredByAll()
  @Int(0, Number.MAX_SAFE_INTEGER, isPriceTimesQuantity)
  totalAmount?: number;

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

  @RequiredByAll()
  @Nested(() => PartnerBBilling)
  billing?: PartnerBBilling;

  @RequiredByAll()
  @Nested(() => PartnerBShipping)
  shipping?: PartnerBShipping;

  @RequiredByAll()
  @NestedList(() => PartnerBCartItem)
  cart?: PartnerBCartItem[];
}

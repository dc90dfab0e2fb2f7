import { optionsOf, type PaymentOptionB } from '../methods.js';
import { TITLES, type Title } from '../platform/enums.js';
import { Amount, Nested, NestedList, OneOf, Optional, RequiredByAll, Text, Timestamp } from '../validation/fields.js';
import { PartnerBCartItem } from './partner-b-cart-item.js';
import {
  CommandId,
  Country,
  Currency,
  Description,
  EmailWithoutPlus,
  FreeField,
  MerchantName,
  OrderId,
  PersonalText,
  PhoneInternational,
  PublicIpv4,
  ReturnPageName,
  SingleLineAddress,
  MAX_CART_ITEMS,
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

  /** ISO 4217, one of the merchant's; absent: its first. */
  @Optional()
  @Currency()
  currency?: string;

  /** Of the merchant's `returnPages`: where the cardholder's browser goes on to after the form; absent: `pageUrl`. */
  @Optional()
  @ReturnPageName()
  returnPage?: string;

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
  @NestedList(() => PartnerBCartItem, 1, MAX_CART_ITEMS)
  cart?: PartnerBCartItem[];
}

import { Controller, Get, Header } from '@nestjs/common';
import { CheckoutConfig } from '../checkout.config.js';
import { CATALOGUE, MAX_QUANTITY } from './catalogue.js';
import { methodsOf, type PaymentMethod } from './methods.js';

@Controller('api/shop')
export class ShopController {
  constructor(private readonly config: CheckoutConfig) {}

  @Get()
  @Header('cache-control', 'no-cache')
  shop() {
    const { market, apiKeyId, cseKeysUrl, tokenizerUrl } = this.config;
    return {
      market,
      maxQuantity: MAX_QUANTITY,
      articles: CATALOGUE.map(({ sku, price, quantity }) => ({ sku, price, quantity })),
      methods: methodsOf(market).map(({ id, instalments, cost, minAmount, maxAmount }: PaymentMethod) => ({
        id,
        instalments,
        cost,
        minAmount,
        maxAmount,
      })),
      card: { apiKeyId, cseKeysUrl: cseKeysUrl.href, tokenizerUrl: tokenizerUrl.href },
    };
  }
}

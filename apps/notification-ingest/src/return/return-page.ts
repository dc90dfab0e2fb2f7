/** `thanks`: verified, but the merchant has no page. `unverified`: the signature fits no key of ours. `unknown`: no such merchant. */
export type Page = 'thanks' | 'unverified' | 'unknown';

type Language = 'en' | 'fr' | 'es';

const TEXTS: Readonly<Record<Language, Readonly<Record<Page, readonly [title: string, text: string]>>>> = {
  en: {
    thanks: ['Thank you', 'You can close this page. The shop will tell you about your order.'],
    unverified: [
      'This link cannot be used',
      'It may be incomplete or out of date. It changes nothing about your order: look at your order in the shop.',
    ],
    unknown: ['There is nothing here', 'Go back to the shop where you ordered.'],
  },
  fr: {
    thanks: ['Merci', 'Vous pouvez fermer cette page. La boutique vous informera de votre commande.'],
    unverified: [
      'Ce lien ne peut pas être utilisé',
      'Il est peut-être incomplet ou périmé. Il ne change rien à votre commande : consultez-la dans la boutique.',
    ],
    unknown: ['Il n’y a rien ici', 'Retournez à la boutique où vous avez commandé.'],
  },
  es: {
    thanks: ['Gracias', 'Puede cerrar esta página. La tienda le informará sobre su pedido.'],
    unverified: [
      'Este enlace no se puede usar',
      'Quizá esté incompleto o caducado. No cambia nada en su pedido: consúltelo en la tienda.',
    ],
    unknown: ['Aquí no hay nada', 'Vuelva a la tienda donde hizo su pedido.'],
  },
};

/** HTML page of fixed texts. It shows nothing from the request, so nobody can inject text into it. */
export function pageOf(page: Page, market?: 'FR' | 'ES'): string {
  const language = market === undefined ? 'en' : (market.toLowerCase() as 'fr' | 'es');
  const [title, text] = TEXTS[language][page];
  return [
    '<!doctype html>',
    `<html lang="${language}">`,
    `<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title></head>`,
    `<body><main><h1>${title}</h1><p>${text}</p></main></body>`,
    '</html>',
    '',
  ].join('\n');
}

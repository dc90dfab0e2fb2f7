/** Only the page and the tokenizer see the card: it is encrypted, exchanged for a token, and the token pays. */
import { TEST_CARDS } from './test-cards.mjs';
import { cardOrder, newOrderId } from './orders.mjs';
import { must } from './story.mjs';
import { difference } from './timeline.mjs';

export async function cardPayment(stage) {
  const story = stage.story('card', newOrderId('lamp'));
  const token = await stage.page.tokenize(TEST_CARDS.accepted, noteAnswers(story));
  await story.send('payment.pay', cardOrder(story.orderId, token.hfToken));
  const paid = await story.next('payment.pay.succeeded');
  must(difference('EXECCODE', '0000', paid.data.execCode));
  must(difference('payment calls', 1, await story.calls('payment')));
  await story.executes({ payment: 1 });
}

export async function cardRefused(stage) {
  const story = stage.story('card', newOrderId('lamp'));
  const token = await stage.page.tokenize(TEST_CARDS.refused, noteAnswers(story));
  await story.send('payment.pay', cardOrder(story.orderId, token.hfToken));
  const refused = await story.next('payment.pay.refused');
  must(difference('EXECCODE', '4001', refused.data.execCode));
  story.note('the bank was asked once and said no; paying with another card is another command');
  must(difference('payment calls', 1, await story.calls('payment')));
  await story.executes({ payment: 1 });
}

/** Tokenizing moves no money, so the page may repeat it with the new key. There is still only one payment. */
export async function keyRotated(stage) {
  const story = stage.story('card', newOrderId('lamp'));
  const note = noteAnswers(story);
  const keys = [];
  const token = await stage.page.tokenize(TEST_CARDS.accepted, async (what, body) => {
    await note(what, body);
    if (what !== 'key') return;
    keys.push(body.encryptionKeyId);
    if (keys.length > 1) return;
    await stage.platform.rotateKeys();
    story.note('the platform replaces its keys before the card gets there');
  });
  must(difference('keys that the page used', 2, new Set(keys).size));
  await story.send('payment.pay', cardOrder(story.orderId, token.hfToken));
  await story.next('payment.pay.succeeded');
  must(difference('payment calls', 1, await story.calls('payment')));
  await story.executes({ payment: 1 });
}

const noteAnswers = (story) => (what, body) =>
  story.note(
    what === 'key'
      ? `cse-token-service gives the page encryption key ${body.encryptionKeyId}`
      : `the tokenizer answers the encrypted card: ${body.EXECCODE} ${body.CARDCODE ?? body.MESSAGE}`,
  );

/** The last four digits of these simulator cards choose the bank's answer (apps/platform-simulator/README.md). */
export const TEST_CARDS = {
  accepted: { cardCode: '4970101200040016', cardValidityDate: '12-49', cardCvv: '123', selectedBrand: 'cb' },
  refused: { cardCode: '4970101200034001', cardValidityDate: '12-49', cardCvv: '123', selectedBrand: 'cb' },
};

export const cardLines = [
  `${TEST_CARDS.accepted.cardCode}  is accepted    (cb or visa, any month to come, any CVV)`,
  `${TEST_CARDS.refused.cardCode}  is refused`,
];

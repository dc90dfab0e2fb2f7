import { isCalendarDate, isTimestamp } from './texts.js';

it.each(['2028-02-29', '2000-02-29', '2027-02-28', '2027-12-31'])('%s is a day [General.dates]', (day) =>
  expect(isCalendarDate(day)).toBe(true),
);

it.each([
  '2027-02-29',
  '2100-02-29',
  '2027-02-30',
  '2027-06-31',
  '2027-00-01',
  '2027-13-01',
  '2027-01-32',
  '2027-01-00',
  '2027-04-31',
  '27-01-01',
  '2027-1-1',
  '',
  '2027-01-01 ',
])('%j is none', (day) => expect(isCalendarDate(day)).toBe(false));

it('every accepted time-stamp is valid for Date', () => {
  for (const time of [
    '2028-02-29T23:59:59Z',
    '2027-01-01T00:00:00.5+02:00',
    '0001-01-01T00:00:00Z',
    '2027-01-01T00:00:00.123456789-23:59',
  ]) {
    expect(isTimestamp(time)).toBe(true);
    expect(Date.parse(time)).not.toBeNaN();
  }
});

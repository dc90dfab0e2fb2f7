import { PERSONAL_FIELDS } from './validate-command.js';

it('has the fields of every command that says something about a person', () => {
  const sorted = Object.fromEntries(
    Object.entries(PERSONAL_FIELDS).map(([part, fields]) => [part, [...fields].sort()]),
  );
  const address = [
    'address',
    'city',
    'country',
    'firstName',
    'lastName',
    'mobilePhone',
    'phone',
    'postalCode',
    'title',
  ];
  expect(sorted).toEqual({
    client: ['birthDate', 'email', 'id', 'ip', 'referrer', 'userAgent'],
    billing: address,
    shipping: [...address, 'companyName'].sort(),
  });
});

// Keys, certificates and rows of the examples: nobody has them.
export const FINGERPRINT = '0f:1e:2d:3c:4b:5a:69:78:87:96:a5:b4:c3:d2:e1:f0'
export const PEM = '-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n'

/** Rows that several examples have. */
export const USER = '65f0c2a1b4d3e2f1a0b9c8d7'
export const BILL = {
  id: 'in_1',
  status: 'paid',
  currency: 'usd',
  amount: 500,
  created: 1_790_000_000,
  url: 'https://a.test',
}

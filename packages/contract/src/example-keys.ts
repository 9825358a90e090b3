// Keys and certificates of the examples: nobody has them.
export const FINGERPRINT = '0f:1e:2d:3c:4b:5a:69:78:87:96:a5:b4:c3:d2:e1:f0'
export const PEM = '-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n'

// Test support for TLS: generates a self-signed certificate on the fly, so that no key lies in the repository.
import { generateKeyPairSync, sign } from 'node:crypto'

/** A P-256 key and its certificate for `localhost` and 127.0.0.1, valid from 2020 to 2049; all PEM. */
export function selfSignedCertificate(): { key: string; cert: string; publicKeyDer: Uint8Array } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
  const name = sequence(tlv(0x31, sequence(oid(0x55, 0x04, 0x03), tlv(0x0c, Buffer.from('localhost')))))
  const validity = sequence(tlv(0x17, Buffer.from('200101000000Z')), tlv(0x17, Buffer.from('491231235959Z')))
  const names = sequence(tlv(0x82, Buffer.from('localhost')), tlv(0x87, Buffer.of(127, 0, 0, 1)))
  const subjectAltName = sequence(oid(0x55, 0x1d, 0x11), tlv(0x04, names))
  const body = sequence(
    tlv(0xa0, tlv(0x02, Buffer.of(2))),
    tlv(0x02, Buffer.of(1)),
    ecdsaWithSha256,
    name,
    validity,
    name,
    spki,
    tlv(0xa3, sequence(subjectAltName)),
  )
  const signature = tlv(0x03, Buffer.concat([Buffer.of(0), sign('sha256', body, privateKey)]))
  const der = sequence(body, ecdsaWithSha256, signature)
  const lines = der.toString('base64').replace(/.{64}/g, '$&\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    publicKeyDer: spki,
  }
}

/** One DER value: tag, length, content. */
function tlv(tag: number, content: Uint8Array): Buffer {
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.of(tag, ...size), content])
}

function sequence(...parts: Uint8Array[]): Buffer {
  return tlv(0x30, Buffer.concat(parts))
}

function oid(...bytes: number[]): Buffer {
  return tlv(0x06, Buffer.from(bytes))
}

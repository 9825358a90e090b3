// Public key authentication: a handler can only ever accept a proven key.
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { beforeAll, describe, expect, test } from 'vitest'
import type { AuthAttempt } from '../api.ts'
import { connect } from '../../test/support/connect.ts'
import type { ConnectOptions } from '../../test/support/connect.ts'
import {
  TOUCHED,
  VERIFIED,
  certificateAlgorithm,
  certify,
  ecdsaKey,
  ed25519Key,
  fidoKey,
  rsaKey,
} from '../../test/support/user-key.ts'
import type { CertificateFields, UserKey } from '../../test/support/user-key.ts'
import * as n from '../wire/numbers.ts'
import { WireWriter } from '../wire/writer.ts'

/** Connects, and records the attempts passed to the handler. */
async function ready(more: ConnectOptions['options'] = {}) {
  const attempts: AuthAttempt[] = []
  const connected = connect({
    options: more,
    limits: { authAttempts: 20 },
    handler: {
      authenticate: async (_connection, attempt) => {
        attempts.push(attempt)
        return { result: attempt.method === 'publickey' ? 'accept' : 'reject' }
      },
    },
  })
  await connected.client.startAuthentication()
  return { ...connected, attempts }
}

describe('a signature by the key itself signs in', () => {
  let rsa: UserKey

  beforeAll(() => {
    rsa = rsaKey()
  })

  test.each([
    ['ssh-ed25519', () => ed25519Key(), 'ssh-ed25519'],
    ['ecdsa-sha2-nistp256', () => ecdsaKey('nistp256'), 'ecdsa-sha2-nistp256'],
    ['ecdsa-sha2-nistp384', () => ecdsaKey('nistp384'), 'ecdsa-sha2-nistp384'],
    ['ecdsa-sha2-nistp521', () => ecdsaKey('nistp521'), 'ecdsa-sha2-nistp521'],
    ['rsa-sha2-256', () => rsa, 'ssh-rsa'],
    ['rsa-sha2-512', () => rsa, 'ssh-rsa'],
    ['sk-ssh-ed25519@openssh.com', () => fidoKey('ed25519', TOUCHED), 'sk-ssh-ed25519@openssh.com'],
    ['sk-ecdsa-sha2-nistp256@openssh.com', () => fidoKey('ecdsa', TOUCHED), 'sk-ecdsa-sha2-nistp256@openssh.com'],
  ])('signs in with %s', async (algorithm, make, type) => {
    const key = make()
    const { client, attempts } = await ready()
    const signer = (message: Uint8Array) => key.sign(message, algorithm)
    client.send(client.publicKeyRequest({ algorithm, blob: key.blob, signer }))
    expect(await client.authAnswer()).toBe('success')
    expect(attempts).toMatchObject([{ method: 'publickey', user: 'user', proven: true, key: { type, algorithm } }])
  })

  test('signs in after a query that was answered with the same key', async () => {
    const key = ed25519Key()
    const { client, attempts, connection } = await ready()
    client.send(client.publicKeyRequest({ algorithm: key.algorithm, blob: key.blob }))
    const echoed = await client.read(n.MSG_USERAUTH_PK_OK)
    expect(echoed.text('algorithm')).toBe(key.algorithm)
    expect(Buffer.from(echoed.string('key')).equals(key.blob)).toBe(true)
    expect(connection.user).toBeUndefined()
    client.send(client.publicKeyRequest({ algorithm: key.algorithm, blob: key.blob, signer: key.sign }))
    expect(await client.authAnswer()).toBe('success')
    expect(attempts.map((attempt) => attempt.method === 'publickey' && attempt.proven)).toEqual([false, true])
  })

  test('accepts a signature bound to our host key (publickey-hostbound-v00@openssh.com), and to no other', async () => {
    const key = ed25519Key()
    const bound = async (tamper: boolean) => {
      const { client } = await ready()
      const hostKey = Buffer.from(client.lastKeys?.hostKey ?? Buffer.alloc(0))
      if (tamper) hostKey[hostKey.length - 1] = (hostKey.at(-1) ?? 0) ^ 1
      const part = client.authRequest('user', 'publickey-hostbound-v00@openssh.com').boolean(true).string(key.algorithm)
      const request = part.string(key.blob).string(hostKey).done()
      const signature = key.sign(
        new WireWriter()
          .string(client.sessionId ?? '')
          .bytes(request)
          .done(),
      )
      client.send(new WireWriter().bytes(request).string(signature).done())
      return client.authAnswer()
    }
    expect([await bound(false), await bound(true)]).toEqual(['success', 'failure'])
  })
})

describe('rejected without calling the handler', () => {
  const key = ed25519Key()
  const other = ed25519Key()
  const offer = { algorithm: key.algorithm, blob: key.blob }

  test('rejects a signature by another key', async () => {
    const { client, attempts } = await ready()
    client.send(client.publicKeyRequest({ ...offer, signer: other.sign }))
    expect(await client.authAnswer()).toBe('failure')
    expect(attempts).toEqual([])
  })

  test('rejects a signature replayed from another connection', async () => {
    const first = await ready()
    const recorded = first.client.publicKeyRequest({ ...offer, signer: key.sign })
    first.client.send(recorded)
    expect(await first.client.authAnswer()).toBe('success')
    const second = await ready()
    second.client.send(recorded)
    expect(await second.client.authAnswer()).toBe('failure')
    expect(second.attempts).toEqual([])
  })

  test('rejects a signature for another user name', async () => {
    const { client, attempts } = await ready()
    const forOther = Buffer.from(client.publicKeyRequest({ ...offer, user: 'lena', signer: key.sign }))
    forOther.write('root', forOther.indexOf('lena'))
    client.send(forOther)
    expect(await client.authAnswer()).toBe('failure')
    expect(attempts).toEqual([])
  })

  test('rejects an empty, short or foreign signature blob', async () => {
    const { client, attempts } = await ready()
    const blobs = [
      new Uint8Array(0),
      Uint8Array.of(0, 0, 0, 9, 1),
      new WireWriter().string('ssh-ed25519').string('').done(),
      new WireWriter().string('ssh-rsa').string(Buffer.alloc(256)).done(),
      Buffer.concat([key.sign(new Uint8Array(1)), Buffer.of(0)]),
    ]
    for (const blob of blobs) {
      client.send(client.publicKeyRequest({ ...offer, signer: () => blob }))
      expect(await client.authAnswer()).toBe('failure')
    }
    expect(attempts).toEqual([])
  })

  test('rejects SHA-1 signatures, under their own name or disguised as another', async () => {
    const rsa = rsaKey()
    const { client, attempts } = await ready()
    for (const algorithm of ['ssh-rsa', 'rsa-sha2-256']) {
      const signer = (message: Uint8Array) => rsa.sign(message, 'ssh-rsa')
      client.send(client.publicKeyRequest({ algorithm, blob: rsa.blob, signer }))
      expect(await client.authAnswer()).toBe('failure')
    }
    expect(attempts).toEqual([])
  })

  test('rejects weak RSA keys, unknown types, mismatched algorithms and malformed blobs', async () => {
    const small = rsaKey(1_024)
    const { client, attempts } = await ready()
    const offers = [
      { algorithm: 'rsa-sha2-512', blob: small.blob },
      { algorithm: 'ssh-dss', blob: new WireWriter().string('ssh-dss').string('x').done() },
      { algorithm: 'rsa-sha2-512', blob: key.blob },
      { algorithm: 'ssh-ed25519', blob: Buffer.concat([key.blob, Buffer.of(0)]) },
      { algorithm: 'ssh-ed25519', blob: new Uint8Array(0) },
      { algorithm: 'ecdsa-sha2-nistp256', blob: ecdsaKey('nistp384').blob },
    ]
    for (const { algorithm, blob } of offers) {
      client.send(client.publicKeyRequest({ algorithm, blob }))
      expect(await client.authAnswer()).toBe('failure')
    }
    expect(attempts).toEqual([])
  })

  test('rejects a point that is not on its curve', async () => {
    const good = ecdsaKey('nistp256')
    const blob = Buffer.from(good.blob)
    blob[blob.length - 1] = (blob.at(-1) ?? 0) ^ 1
    const { client, attempts } = await ready()
    client.send(client.publicKeyRequest({ algorithm: good.algorithm, blob, signer: good.sign }))
    expect(await client.authAnswer()).toBe('failure')
    expect(attempts).toEqual([])
  })

  test.each(['ed25519', 'ecdsa'] as const)('rejects a FIDO signature without user presence: %s', async (kind) => {
    const idle = fidoKey(kind, VERIFIED)
    const { client, attempts } = await ready()
    client.send(client.publicKeyRequest({ algorithm: idle.algorithm, blob: idle.blob, signer: idle.sign }))
    expect(await client.authAnswer()).toBe('failure')
    expect(attempts).toEqual([])
  })
})

describe('certificates', () => {
  const authority = ed25519Key()
  const key = ed25519Key()
  const now = BigInt(new ManualClock().now() / 1_000)

  async function offer(fields: Partial<CertificateFields>, authorities: readonly Uint8Array[] = [authority.blob]) {
    const signingKey = fields.key ?? key
    const ready_ = await ready({ userCertificateAuthorities: authorities })
    const blob = certify({ key: signingKey, authority, ...fields })
    const algorithm = certificateAlgorithm(signingKey.algorithm)
    const { client } = ready_
    client.send(client.publicKeyRequest({ algorithm, blob, signer: signingKey.sign }))
    return { ...ready_, answer: await client.authAnswer(), blob }
  }

  test.each([
    ['ed25519', () => ed25519Key()],
    ['ecdsa', () => ecdsaKey('nistp256')],
    ['rsa', () => rsaKey()],
    ['sk-ed25519', () => fidoKey('ed25519', TOUCHED)],
    ['sk-ecdsa', () => fidoKey('ecdsa', TOUCHED)],
  ])('signs in with a trusted certificate and passes its fields to the handler: %s', async (_name, make) => {
    const certified = make()
    const { answer, attempts } = await offer({
      key: certified,
      principals: ['root', 'deploy'],
      validAfter: now - 60n,
      validBefore: now + 60n,
      critical: [
        ['force-command', 'uptime'],
        ['source-address', '192.0.2.0/24,2001:db8::/32'],
      ],
    })
    expect(answer).toBe('success')
    expect(attempts).toMatchObject([
      {
        proven: true,
        key: {
          type: certified.publicKey.type,
          algorithm: certified.algorithm,
          certificate: {
            keyId: 'key id',
            serial: 42n,
            principals: ['root', 'deploy'],
            validAfter: now - 60n,
            validBefore: now + 60n,
            forceCommand: 'uptime',
            sourceAddress: '192.0.2.0/24,2001:db8::/32',
            extensions: ['permit-pty'],
          },
        },
      },
    ])
    const [attempt] = attempts
    expect(attempt?.method === 'publickey' && Buffer.from(attempt.key.blob).equals(certified.blob)).toBe(true)
  })

  test('keeps the restrictions of a certificate when the second factor is a password', async () => {
    const signed = certify({ key, authority, critical: [['force-command', 'uptime']] })
    const { client, connection } = connect({
      options: { userCertificateAuthorities: [authority.blob] },
      handler: {
        authenticate: async (_connection, attempt) =>
          attempt.method === 'publickey' ? { result: 'partial', methods: ['password'] } : { result: 'accept' },
      },
    })
    await client.startAuthentication()
    expect(connection.factors).toEqual([])
    const algorithm = certificateAlgorithm(key.algorithm)
    client.send(client.publicKeyRequest({ algorithm, blob: signed, signer: key.sign }))
    expect(await client.authAnswer()).toBe('failure')
    client.sendPassword('user', 'anything')
    expect(await client.authAnswer()).toBe('success')
    expect(connection.factors).toMatchObject([
      { method: 'publickey', key: { certificate: { forceCommand: 'uptime' } } },
      { method: 'password' },
    ])
  })

  test.each<[string, Partial<CertificateFields>]>([
    ['of an unknown authority', { authority: ed25519Key() }],
    ['not valid yet', { validAfter: now + 10n }],
    ['expired this second', { validBefore: now }],
    ['for hosts', { kind: 2 }],
    ['with an unknown critical option', { critical: [['new-restriction', 'x']] }],
    ['from another network', { critical: [['source-address', '198.51.100.0/24']] }],
    ['with a malformed address list', { critical: [['source-address', '192.0.2.0/24,nonsense']] }],
    ['that demands PIN or biometrics of a plain key', { critical: [['verify-required', undefined]] }],
  ])('rejects a certificate %s without calling the handler', async (_what, fields) => {
    const { answer, attempts } = await offer(fields)
    expect([answer, attempts.length]).toEqual(['failure', 0])
  })

  test.each([
    [TOUCHED, 'failure'],
    [TOUCHED | VERIFIED, 'success'],
  ] as const)('verify-required requires a verified user: flags %i', async (flags, expected) => {
    const fido = fidoKey('ed25519', flags)
    const { answer } = await offer({ key: fido, critical: [['verify-required', undefined]] })
    expect(answer).toBe(expected)
  })

  test('rejects certificates when the authority is not configured or signed something else', async () => {
    expect((await offer({}, [])).answer).toBe('failure')
    const { client, attempts } = await ready({ userCertificateAuthorities: [authority.blob] })
    const blob = Buffer.from(certify({ key, authority }))
    blob.write('key iD', blob.indexOf('key id'))
    client.send(client.publicKeyRequest({ algorithm: certificateAlgorithm('ssh-ed25519'), blob, signer: key.sign }))
    expect([await client.authAnswer(), attempts.length]).toEqual(['failure', 0])
  })

  test('rejects certificates when another key signs the request', async () => {
    const { client, attempts } = await ready({ userCertificateAuthorities: [authority.blob] })
    const blob = certify({ key, authority })
    const algorithm = certificateAlgorithm('ssh-ed25519')
    client.send(client.publicKeyRequest({ algorithm, blob, signer: authority.sign }))
    expect([await client.authAnswer(), attempts.length]).toEqual(['failure', 0])
  })

  test('answers a query with the certificate itself', async () => {
    const { client } = await ready({ userCertificateAuthorities: [authority.blob] })
    const blob = certify({ key, authority })
    const algorithm = certificateAlgorithm('ssh-ed25519')
    client.send(client.publicKeyRequest({ algorithm, blob }))
    const echoed = await client.read(n.MSG_USERAUTH_PK_OK)
    expect(echoed.text('algorithm')).toBe(algorithm)
    expect(Buffer.from(echoed.string('key')).equals(blob)).toBe(true)
  })
})

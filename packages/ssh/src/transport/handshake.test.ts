// Identification and key exchange from the client's side.
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Compatibility } from '../api.ts'
import { connect, settle } from '../../test/support/connect.ts'
import { decodeKexInit } from './kexinit.ts'
import * as n from '../wire/numbers.ts'
import { WireReader } from '../wire/reader.ts'
import { WireWriter } from '../wire/writer.ts'

describe('key exchange', () => {
  test.each(['mlkem768x25519-sha256', 'curve25519-sha256', 'curve25519-sha256@libssh.org'])(
    'derives the same keys on both sides: %s',
    async (method) => {
      const { client, connection } = connect({ client: { kexInit: { kex: [method, 'kex-strict-c-v00@openssh.com'] } } })
      await client.startAuthentication()
      expect(connection.algorithms).toEqual({
        kex: method,
        cipherIn: 'aes128-gcm@openssh.com',
        cipherOut: 'aes128-gcm@openssh.com',
      })
      expect(connection.sessionId).toBe(client.sessionId?.toString('hex'))
    },
  )

  test('signs the exchange hash with the host key', async () => {
    const { client } = connect()
    await client.handshake()
    const keys = client.lastKeys
    const key = new WireReader(keys?.hostKey ?? Buffer.alloc(0))
    expect(key.text('type')).toBe('ssh-ed25519')
    const raw = Buffer.from(key.string('key'))
    const signature = new WireReader(keys?.signature ?? Buffer.alloc(0))
    expect(signature.text('algorithm')).toBe('ssh-ed25519')
    const publicKey = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') },
      format: 'jwk',
    })
    expect(verify(null, keys?.hash ?? Buffer.alloc(0), publicKey, signature.string('signature'))).toBe(true)
  })

  test('sends server-sig-algs right after NEWKEYS, without SHA-1', async () => {
    const { client } = connect()
    await client.handshake()
    const info = await client.read(n.MSG_EXT_INFO)
    const extensions = new Map<string, string>()
    const count = info.uint32('count')
    for (let index = 0; index < count; index += 1) extensions.set(info.text('name'), info.text('value'))
    expect(extensions.get('server-sig-algs')).toBe(
      'ssh-ed25519,sk-ssh-ed25519@openssh.com,ecdsa-sha2-nistp256,ecdsa-sha2-nistp384,ecdsa-sha2-nistp521,' +
        'sk-ecdsa-sha2-nistp256@openssh.com,rsa-sha2-512,rsa-sha2-256',
    )
    expect(extensions.get('ping@openssh.com')).toBe('0')
  })

  test('uses a right guess and drops a wrong one', async () => {
    const right = connect({ client: { kexInit: { firstFollows: true, kex: ['mlkem768x25519-sha256'] } } })
    await right.client.startAuthentication()
    expect(right.connection.algorithms?.kex).toBe('mlkem768x25519-sha256')

    const wrong = connect({ client: { kexInit: { firstFollows: true, kex: ['other', 'curve25519-sha256'] } } })
    wrong.client.identify()
    const done = wrong.client.exchangeKeys()
    // The client's real message follows by itself once the server's KEXINIT has arrived; the guess must go first.
    wrong.client.send(new WireWriter().byte(n.MSG_KEX_ECDH_INIT).string(Buffer.alloc(32, 9)).done())
    await done
    await settle()
    expect(wrong.connection.algorithms).toBeDefined()
  })

  test('disconnects a client without a common algorithm with a message', async () => {
    const { client, closed } = connect({ client: { kexInit: { cipherToServer: ['3des-cbc'] } } })
    client.handshake().catch(() => undefined)
    expect(await client.disconnected()).toMatchObject({ code: 3 })
    expect(await closed).toMatchObject({ by: 'protocol', reason: 'no-common-algorithm' })
  })

  test('never negotiates compression', async () => {
    const { client, closed } = connect({ client: { kexInit: { compressionToServer: ['zlib', 'zlib@openssh.com'] } } })
    client.handshake().catch(() => undefined)
    expect(await closed).toMatchObject({ reason: 'no-common-algorithm' })
  })
})

describe('clients with Nagle’s algorithm', () => {
  const OPENSSH = 'SSH-2.0-OpenSSH_9.2p1'

  test('sends a complete KEXINIT in answer to the client’s identification line', async () => {
    const { client } = connect()
    client.identify()
    expect((await client.next(n.MSG_KEXINIT)).length).toBeGreaterThan(100)
  })

  test('sends OpenSSH the length of KEXINIT first and the rest after the client’s own KEXINIT', async () => {
    const { client, connection } = connect({ client: { ident: OPENSSH } })
    client.identify()
    await settle()
    expect(connection.bytesOut).toBe(`${client.serverIdent}\r\n`.length + 4)
    await client.exchangeKeys()
    await settle()
    expect(connection.algorithms?.kex).toBe('curve25519-sha256')
  })

  test('sends OpenSSH the algorithm list and a message when none is in common', async () => {
    const { client } = connect({ client: { ident: OPENSSH, kexInit: { cipherToServer: ['3des-cbc'] } } })
    client.handshake().catch(() => undefined)
    await client.next(n.MSG_KEXINIT)
    expect(await client.disconnected()).toMatchObject({ code: 3 })
  })

  test('sends KEXINIT after a timeout to a client that claims to be OpenSSH and waits', async () => {
    const { client, clock } = connect({ client: { ident: OPENSSH } })
    client.identify()
    await settle()
    expect(client.reader.packets).toBe(0)
    clock.advance(250)
    await client.next(n.MSG_KEXINIT)
    await client.exchangeKeys()
  })

  test('sends EXT_INFO after the client’s NEWKEYS, as the first packet under the new keys', async () => {
    const { client, connection } = connect({ client: { holdsNewKeys: true } })
    const done = client.handshake()
    await client.next(n.MSG_NEWKEYS)
    await settle()
    const before = connection.bytesOut
    client.sendNewKeys()
    await done
    await settle()
    expect(connection.bytesOut).toBeGreaterThan(before)
    expect(client.reader.packets).toBe(1)
    await client.next(n.MSG_EXT_INFO)
  })
})

describe('the cipher', () => {
  const CHACHA = 'chacha20-poly1305@openssh.com'
  const GCM = 'aes256-gcm@openssh.com'
  const cipherOf = async (ident: string, ...ciphers: string[]) => {
    const kexInit = { cipherToServer: ciphers, cipherToClient: ciphers }
    const { client, connection } = connect({ client: { ident, kexInit } })
    await client.startAuthentication()
    const first = connection.algorithms
    await client.exchangeKeys()
    await settle()
    // A rekey changes nothing.
    expect(connection.algorithms).toEqual(first)
    expect(first?.cipherIn).toBe(first?.cipherOut)
    return first?.cipherOut
  }

  test('uses AES-GCM with OpenSSH whenever it supports it, whatever it prefers', async () => {
    expect(await cipherOf('SSH-2.0-OpenSSH_10.0', CHACHA, 'aes128-ctr', GCM)).toBe(GCM)
    expect(await cipherOf('SSH-2.0-OpenSSH_10.0', CHACHA, 'aes128-ctr')).toBe(CHACHA)
  })

  test('uses the client’s preferred cipher with other clients', async () => {
    expect(await cipherOf('SSH-2.0-Other', CHACHA, GCM)).toBe(CHACHA)
    expect(await cipherOf('SSH-2.0-Other', GCM, CHACHA)).toBe(GCM)
  })
})

describe('strict key exchange', () => {
  test('ends the connection on an IGNORE before NEWKEYS', async () => {
    const { client, closed } = connect()
    client.identify()
    const done = client.exchangeKeys().catch(() => undefined)
    client.send(new WireWriter().byte(n.MSG_IGNORE).string('x').done())
    expect(await closed).toMatchObject({ by: 'protocol', reason: 'unexpected-message' })
    await done
  })

  test('ends the connection on an IGNORE before KEXINIT', async () => {
    const { client, closed } = connect()
    client.identify()
    client.send(new WireWriter().byte(n.MSG_IGNORE).string('x').done())
    client.exchangeKeys().catch(() => undefined)
    expect(await closed).toMatchObject({ by: 'protocol', reason: 'unexpected-message' })
  })

  test('accepts IGNORE from a client without strict key exchange', async () => {
    const { client, connection } = connect({ client: { kexInit: { kex: ['curve25519-sha256'] } } })
    client.identify()
    client.send(new WireWriter().byte(n.MSG_IGNORE).string('x').done())
    await client.exchangeKeys()
    await settle()
    expect(connection.algorithms?.kex).toBe('curve25519-sha256')
  })
})

describe('a client that knows no modern algorithm', () => {
  const OLD = 'SSH-2.0-libssh2_1.10.0'
  const kexInit = {
    kex: ['diffie-hellman-group14-sha256', 'ecdh-sha2-nistp256', 'curve25519-sha256'],
    cipherToServer: ['aes128-ctr'],
    cipherToClient: ['aes128-ctr'],
    macToServer: ['hmac-sha2-256'],
    macToClient: ['hmac-sha2-256'],
  }
  const olderHostKey = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).privateKey
  /** The server's offer in its KEXINIT. */
  async function offered(ident: string, compatibility: Compatibility, hostKey: string[]) {
    const options = { compatibility, olderHostKeys: [olderHostKey] }
    const { client } = connect({ options, client: { ident, kexInit: { ...kexInit, hostKey } } })
    client.handshake().catch(() => undefined)
    return decodeKexInit(await client.next(n.MSG_KEXINIT))
  }

  test('offers old clients older algorithms, and the Ed25519 key only if they support it', async () => {
    const offer = await offered(OLD, 'auto', ['ecdsa-sha2-nistp256', 'ssh-ed25519'])
    expect(offer.kex).toEqual(expect.arrayContaining(['ecdh-sha2-nistp256', 'diffie-hellman-group14-sha256']))
    expect(offer.macToServer).toContain('hmac-sha2-256')
    expect(offer.hostKey).toEqual(['ssh-ed25519'])
    expect((await offered(OLD, 'auto', ['ecdsa-sha2-nistp256'])).hostKey).toEqual([
      'ssh-ed25519',
      'ecdsa-sha2-nistp256',
    ])
  })

  test.each<[string, Compatibility]>([
    ['SSH-2.0-OpenSSH_9.2p1', 'auto'],
    ['SSH-2.0-libssh2_1.11.0', 'auto'],
    ['SSH-2.0-Anything', 'auto'],
    [OLD, 'modern'],
  ])('offers %s no older algorithm with %s', async (ident, compatibility) => {
    const offer = await offered(ident, compatibility, ['ecdsa-sha2-nistp256', 'ssh-ed25519'])
    expect(offer.kex).toEqual([
      'mlkem768x25519-sha256',
      'curve25519-sha256',
      'curve25519-sha256@libssh.org',
      'kex-strict-s-v00@openssh.com',
    ])
    expect(offer.hostKey).toEqual(['ssh-ed25519'])
    expect(offer.macToClient).toEqual(['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com'])
  })
})

// Tests that private keys in every common format, read with WebCrypto only, make signatures the server accepts.
import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { ScratchFolder, hasCommand } from '@bowline/testkit/real-client'
import { bcryptPbkdf } from './bcrypt-pbkdf.ts'
import { sha256Fingerprint } from './fingerprint.ts'
import { encodePublicKey } from './key-blob.ts'
import type { PrivateKey } from './private-key.ts'
import { PrivateKeyError } from './private-key.ts'
import { readPrivateKey } from './read-private-key.ts'
import { verifySignature } from './signature.ts'
import { signMessage, signatureAlgorithm } from './web-signature.ts'

const message = Uint8Array.from([1, 2, 3])

async function signsWell(key: PrivateKey): Promise<boolean> {
  const signature = await signMessage(key, message)
  return verifySignature({ key: key.publicKey, algorithm: signatureAlgorithm(key), message, signature })
}

async function reasonOf(reading: Promise<unknown>): Promise<string> {
  try {
    await reading
    return 'read'
  } catch (error) {
    return error instanceof PrivateKeyError ? error.reason : String(error)
  }
}

describe('PEM', () => {
  const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey
  const ed25519 = generateKeyPairSync('ed25519').privateKey
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey
  const pem = (key: KeyObject, type: 'pkcs8' | 'pkcs1' | 'sec1') => key.export({ format: 'pem', type })

  test.each([
    ['PKCS#8 Ed25519', pem(ed25519, 'pkcs8'), 'ssh-ed25519'],
    ['PKCS#8 RSA', pem(rsa, 'pkcs8'), 'ssh-rsa'],
    ['PKCS#1 RSA', pem(rsa, 'pkcs1'), 'ssh-rsa'],
    ...['P-256', 'P-384', 'P-521'].flatMap((curve) => {
      const key = ec(curve)
      const type = `ecdsa-sha2-nistp${curve.slice(2)}`
      return [
        [`PKCS#8 ${curve}`, pem(key, 'pkcs8'), type],
        [`SEC1 ${curve}`, pem(key, 'sec1'), type],
      ]
    }),
  ])('reads %s', async (_name, text, type) => {
    const key = await readPrivateKey(text)
    expect(key.publicKey.type).toBe(type)
    expect(await signsWell(key)).toBe(true)
  })

  test('refuses unusable keys with their reason', async () => {
    const encrypted = ed25519.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x' })
    const x25519 = generateKeyPairSync('x25519').privateKey.export({ format: 'pem', type: 'pkcs8' })
    const publicPem = generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' })
    const damaged = pem(rsa, 'pkcs8').replace(/\n.{20}/, '\nAAAAAAAAAAAAAAAAAAAA')
    expect(await reasonOf(readPrivateKey(encrypted))).toBe('not-supported')
    expect(await reasonOf(readPrivateKey(x25519))).toBe('not-supported')
    expect(await reasonOf(readPrivateKey(publicPem))).toBe('not-a-key')
    expect(await reasonOf(readPrivateKey('hello'))).toBe('not-a-key')
    expect(['not-a-key', 'not-supported']).toContain(await reasonOf(readPrivateKey(damaged)))
    const noBase64 = '-----BEGIN PRIVATE KEY-----\n!!!\n-----END PRIVATE KEY-----'
    expect(await reasonOf(readPrivateKey(noBase64))).toBe('not-a-key')
    const empty = '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----'
    expect(await reasonOf(readPrivateKey(empty))).toBe('not-a-key')
  })
})

describe.skipIf(!hasCommand('ssh-keygen'))('OpenSSH format', () => {
  const folder = new ScratchFolder()

  afterAll(() => folder[Symbol.dispose]())

  function make(type: string, args: readonly string[]): { text: string; publicLine: string } {
    const file = folder.file(`${type}${args.join('')}`)
    spawnSync('ssh-keygen', ['-q', '-t', type, '-C', 'a comment', '-f', file, ...args])
    return { text: readFileSync(file, 'utf8'), publicLine: readFileSync(`${file}.pub`, 'utf8') }
  }

  test.each([
    ['ed25519', []],
    ['rsa', ['-b', '2048']],
    ['ecdsa', ['-b', '256']],
    ['ecdsa', ['-b', '384']],
    ['ecdsa', ['-b', '521']],
  ])('reads an unencrypted %s %s', async (type, args) => {
    const { text, publicLine } = make(type, ['-N', '', ...args])
    const key = await readPrivateKey(text)
    expect(key.comment).toBe('a comment')
    expect(Buffer.from(encodePublicKey(key.publicKey)).toString('base64')).toBe(publicLine.split(' ')[1])
    expect(await signsWell(key)).toBe(true)
  })

  test.each(['aes256-ctr', 'aes192-ctr', 'aes128-ctr'])('reads a key encrypted with %s', async (cipher) => {
    const { text } = make('ed25519', ['-N', 'päss phrase', '-Z', cipher, '-a', '3'])
    expect(await signsWell(await readPrivateKey(text, 'päss phrase'))).toBe(true)
    expect(await reasonOf(readPrivateKey(text, 'pass phrase'))).toBe('wrong-passphrase')
    expect(await reasonOf(readPrivateKey(text))).toBe('passphrase-needed')
  })

  test('computes the fingerprints of ssh-keygen', async () => {
    const { text } = make('ed25519', ['-N', '', '-a', '1'])
    const file = folder.file('ed25519-N-a1')
    const printed = spawnSync('ssh-keygen', ['-l', '-f', file]).stdout.toString()
    const { publicKey } = await readPrivateKey(text)
    expect(printed).toContain(await sha256Fingerprint(encodePublicKey(publicKey)))
  })
})

test('bcrypt_pbkdf derives distinct, repeatable bytes of any length', async () => {
  const salt = Uint8Array.from({ length: 16 }, (_value, index) => index)
  const [one, again, other] = await Promise.all([
    bcryptPbkdf('x', salt, 2, 48),
    bcryptPbkdf('x', salt, 2, 48),
    bcryptPbkdf('y', salt, 2, 48),
  ])
  expect(one).toEqual(again)
  expect(one).not.toEqual(other)
  expect((await bcryptPbkdf('x', salt, 1, 7)).length).toBe(7)
})

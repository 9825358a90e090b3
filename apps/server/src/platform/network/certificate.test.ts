import { X509Certificate, createPrivateKey } from 'node:crypto'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { publicKeyPin, selfSignedCertificate } from './certificate.ts'

const folders: string[] = []
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
})

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bowline-certificate-'))
  folders.push(folder)
  return folder
}

describe('self-signed certificate', () => {
  it('issues a self-signed certificate for the given names with a matching key', async () => {
    const { cert, key } = await selfSignedCertificate(await newFolder(), ['localhost', '127.0.0.1', 'ssh.example.org'])
    const parsed = new X509Certificate(cert)
    expect(parsed.checkHost('ssh.example.org')).toBe('ssh.example.org')
    expect(parsed.checkIP('127.0.0.1')).toBe('127.0.0.1')
    expect(parsed.checkPrivateKey(createPrivateKey(key))).toBe(true)
  })

  it('reuses the certificate of its folder and keeps the key private to its owner', async () => {
    const folder = await newFolder()
    const first = await selfSignedCertificate(folder, ['localhost'])
    expect(await selfSignedCertificate(folder, ['localhost'])).toEqual(first)
    expect((await stat(join(folder, 'tls.key'))).mode & 0o777).toBe(0o600)
  })

  it('formats the public key pin as curl does', async () => {
    const { cert } = await selfSignedCertificate(await newFolder(), ['localhost'])
    expect(publicKeyPin(cert)).toMatch(/^sha256\/\/[A-Za-z0-9+/]{43}=$/)
  })
})

// Certificates that we issue, read by ssh-keygen and by our own parser.
import { generateKeyPairSync } from 'node:crypto'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { ScratchFolder } from '@bowline/testkit/real-client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseCertificate } from './certificate.ts'
import { sha256Fingerprint } from './fingerprint.ts'
import { type HostKey, loadHostKey } from './host-key.ts'
import { ED25519_CERTIFICATE, type UserCertificateFields, issueUserCertificate } from './issue-certificate.ts'

const newKey = (): HostKey =>
  loadHostKey(generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }))
const FIELDS: UserCertificateFields = {
  keyId: 'ann on web-1',
  principals: ['ann'],
  validAfter: 1_700_000_000,
  validBefore: 1_700_000_600,
  extensions: ['permit-port-forwarding', 'permit-pty'],
}

describe('a user certificate', () => {
  it('is what ssh-keygen reads', async () => {
    const scratch = new ScratchFolder()
    onTestFinished(() => scratch[Symbol.dispose]())
    const [key, authority] = [newKey(), newKey()]
    const blob = issueUserCertificate(key.blob, FIELDS, authority)
    const file = scratch.file('cert.pub')
    writeFileSync(file, `${ED25519_CERTIFICATE} ${Buffer.from(blob).toString('base64')} test\n`)
    const { stdout, status } = spawnSync('ssh-keygen', ['-L', '-f', file], { env: { ...process.env, TZ: 'UTC' } })
    const text = stdout.toString()
    expect(status).toBe(0)
    for (const part of [
      'Type: ssh-ed25519-cert-v01@openssh.com user certificate',
      `Signing CA: ED25519 ${await sha256Fingerprint(authority.blob)}`,
      'Key ID: "ann on web-1"',
      'Valid: from 2023-11-14T22:13:20 to 2023-11-14T22:23:20',
      'Principals: \n                ann\n',
      'Critical Options: (none)',
      'permit-port-forwarding\n                permit-pty',
    ]) {
      expect(text).toContain(part)
    }
  })

  it('is read by our own parser with what was put in', () => {
    const [key, authority] = [newKey(), newKey()]
    const { principals, extensions, keyId, options, ...rest } = parseCertificate(
      issueUserCertificate(key.blob, FIELDS, authority),
    )
    expect({ principals, extensions, keyId, options }).toEqual({
      principals: ['ann'],
      extensions: ['permit-port-forwarding', 'permit-pty'],
      keyId: 'ann on web-1',
      options: {},
    })
    expect(Buffer.from(rest.authority)).toEqual(Buffer.from(authority.blob))
  })

  it('is not issued for nobody in particular, or for another type of key', () => {
    const authority = newKey()
    const issue = (blob: Uint8Array, fields: UserCertificateFields) => () =>
      issueUserCertificate(blob, fields, authority)
    expect(issue(newKey().blob, { ...FIELDS, principals: [] })).toThrow('a principal is required')
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const other = loadHostKey(privateKey.export({ format: 'pem', type: 'pkcs8' }))
    expect(issue(other.blob, FIELDS)).toThrow('the key must be Ed25519')
  })
})

// Settings of ACME: what belongs together, and what excludes each other.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '@bowline/contract/config'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../config.ts'

let folder: string
let hook: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-acme-settings-'))
  hook = join(folder, 'hook')
  await writeFile(hook, '#!/bin/sh\n')
  await chmod(hook, 0o755)
})
afterAll(() => rm(folder, { recursive: true }))

const EMAIL = { BOWLINE_ACME_EMAIL: 'admin@example.com', BOWLINE_DOMAIN: 'Bowline.example.com' }
const read = (env: Record<string, string>) => readConfig({ BOWLINE_DATA_DIR: folder, ...env })
const problemOf = (env: Record<string, string>): Promise<string> =>
  read(env).then(
    () => '',
    (error: unknown) => (error instanceof ConfigError ? error.problems.join(' ') : Promise.reject(error)),
  )

describe('a server with an authority', () => {
  it('listens at 443 and 80 unless told otherwise, with TLS on loopback too and nothing to pin', async () => {
    const { settings, acme, tls, pin, publicOrigin } = await read(EMAIL)
    expect([settings.BOWLINE_HTTP_PORT, acme?.httpPort, pin]).toEqual([443, 80, ''])
    expect(tls?.cert).toMatch(/^-----BEGIN CERTIFICATE-----/)
    expect(publicOrigin).toBe('https://bowline.example.com')
    expect((await read({ ...EMAIL, BOWLINE_HTTP_PORT: '8443' })).settings.BOWLINE_HTTP_PORT).toBe(8_443)
    expect((await read({})).settings.BOWLINE_HTTP_PORT).toBe(8_080)
  })

  it('wants a certificate for its domain, and with a program for DNS one for all tunnels', async () => {
    const ofConsole = { use: 'console', names: ['bowline.example.com'], challenge: 'http-01' }
    const tunnels = { BOWLINE_TUNNELS_DOMAIN: 't.example.com' }
    expect((await read({ ...EMAIL, ...tunnels })).acme?.wanted).toEqual([ofConsole])
    expect((await read({ ...EMAIL, ...tunnels, BOWLINE_ACME_DNS_HOOK: hook })).acme?.wanted).toEqual([
      ofConsole,
      { use: 'tunnels', names: ['*.t.example.com'], challenge: 'dns-01' },
    ])
  })

  it('opens no port for challenges that need none', async () => {
    expect((await read({ ...EMAIL, BOWLINE_ACME_CHALLENGE: 'tls-alpn-01' })).acme?.httpPort).toBeUndefined()
  })

  it.each([
    [{ BOWLINE_ACME_EMAIL: 'admin@example.com' }, 'BOWLINE_ACME_EMAIL needs BOWLINE_DOMAIN'],
    [{ ...EMAIL, BOWLINE_DOMAIN: '192.0.2.7' }, 'BOWLINE_DOMAIN: 192.0.2.7 is no name'],
    [{ ...EMAIL, BOWLINE_DOMAIN: 'localhost' }, 'BOWLINE_DOMAIN: localhost is no name'],
    [{ ...EMAIL, BOWLINE_ACME_EMAIL: 'nobody' }, 'BOWLINE_ACME_EMAIL must be an address'],
    [{ ...EMAIL, BOWLINE_TLS_CERT_FILE: '/a', BOWLINE_TLS_KEY_FILE: '/b' }, 'exclude each other'],
    [{ ...EMAIL, BOWLINE_TRUSTED_PROXIES: '192.0.2.1' }, 'the proxies terminate TLS'],
    [{ ...EMAIL, BOWLINE_ACME_CHALLENGE: 'dns-01' }, 'needs BOWLINE_ACME_DNS_HOOK'],
    [{ ...EMAIL, BOWLINE_ACME_DIRECTORY: 'http://ca.example.com/' }, 'must be the https:// address'],
    [{ ...EMAIL, BOWLINE_ACME_DNS_HOOK: '/nowhere/hook' }, '/nowhere/hook cannot be run (ENOENT)'],
    [{ ...EMAIL, BOWLINE_ACME_DNS_HOOK: 'hook' }, 'BOWLINE_ACME_DNS_HOOK must be the absolute path'],
    [{ ...EMAIL, BOWLINE_ACME_CA_FILE: '/nowhere/ca' }, '/nowhere/ca cannot be read (ENOENT)'],
    [{ ...EMAIL, BOWLINE_ACME_EAB_KID: 'kid-1' }, 'BOWLINE_ACME_EAB_KID and BOWLINE_ACME_EAB_HMAC_KEY need each other'],
    [{ ...EMAIL, BOWLINE_ACME_EAB_KID: 'kid-1', BOWLINE_ACME_EAB_HMAC_KEY: 'short' }, 'in base64url'],
    [
      { BOWLINE_ACME_EAB_KID: 'kid-1', BOWLINE_ACME_EAB_HMAC_KEY: 'x'.repeat(43) },
      'BOWLINE_ACME_EAB_KID needs BOWLINE_ACME_EMAIL',
    ],
    [{ BOWLINE_ACME_DNS_HOOK: '/bin/true' }, 'BOWLINE_ACME_DNS_HOOK needs BOWLINE_ACME_EMAIL'],
  ])('refuses %j and says why', async (env, problem) => {
    expect(await problemOf(env)).toContain(problem)
  })
})

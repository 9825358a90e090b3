// Certificates from a real authority: got, shown, renewed, and kept when there is no new one.
import { request } from 'node:http'
import { connect } from 'node:tls'
import { type ServerCertificates } from '@bowline/contract/operations/instance'
import {
  type AcmeAuthority,
  REFUSED_DOMAIN,
  authorityMissing,
  startAcmeAuthority,
} from '@bowline/testkit/acme-authority'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandLine } from '../cli/testing.ts'
import { SecretKey } from '../platform/secrets/seal.ts'
import { type BootedServer, bootServer, databaseUrl } from '../testing/boot.ts'
import { DOMAIN, PATIENCE, TUNNELS, acmeSettings, handshake, keptLog } from './testing.ts'

/** Error of a client that is refused before the server sends its certificate. */
const REFUSED = /disconnected|ECONNRESET/
const note = authorityMissing === undefined ? '' : ` (${authorityMissing})`
let authority: AcmeAuthority
beforeAll(async () => {
  if (authorityMissing === undefined) authority = await startAcmeAuthority()
})
afterAll(() => authority?.close())

/** The command line of a server. */
function commandsOf(server: BootedServer, settings: Record<string, string>) {
  return commandLine(() => ({
    BOWLINE_DATABASE_URL: databaseUrl(server.owner),
    BOWLINE_SECRET_KEY: server.secretKey,
    BOWLINE_DATA_DIR: server.dataFolder,
    ...settings,
  }))
}

/** Resolves when a name is shown with a certificate that the authority has issued; another one than before. */
function shown(name: string, root: string, before = '') {
  return until(async () => {
    const certificate = await handshake(authority.ports.tls, name, root).catch(() => undefined)
    return certificate?.fingerprint256 === before ? undefined : certificate
  }, PATIENCE)
}

describe.skipIf(authorityMissing !== undefined)(`a server with an authority${note}`, () => {
  const kept = keptLog()
  let server: BootedServer
  let settings: Record<string, string>
  let root: string
  let commands: ReturnType<typeof commandsOf>
  beforeAll(async () => {
    settings = acmeSettings(authority)
    server = await bootServer({ settings, log: kept.log })
    commands = commandsOf(server, settings)
    root = await authority.root()
  })
  afterAll(() => server?.close())

  const state = async () => (await commands.json('certificate list')) as ServerCertificates
  const ofConsole = async () => (await state()).certificates[0]

  /** A request to the port for http-01. */
  function ask(
    path: string,
    host = DOMAIN,
    method = 'GET',
  ): Promise<{ status: number; location: string; text: string }> {
    return new Promise((resolve, reject) => {
      const where = { host: '127.0.0.1', port: authority.ports.http, path, method, headers: { host } }
      const call = request(where, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, location: response.headers.location ?? '', text }),
        )
      })
      call.once('error', reject).end()
    })
  }

  it('gets a certificate for its domain by http-01', async () => {
    const certificate = await shown(DOMAIN, root)
    expect(certificate?.subjectAltName).toBe(`DNS:${DOMAIN}`)
    expect((await handshake(authority.ports.tls, '', root)).fingerprint256).toBe(certificate?.fingerprint256)
  })

  it('gets a wildcard for its tunnels by dns-01, and shows it to their names only', async () => {
    const certificate = await shown(`any.${TUNNELS}`, root)
    expect(certificate?.subjectAltName).toBe(`DNS:*.${TUNNELS}`)
    expect((await handshake(authority.ports.tls, DOMAIN, root)).subjectAltName).toBe(`DNS:${DOMAIN}`)
  })

  it('tells the command line of both, with the time of their renewal', async () => {
    const { certificates } = await until(async () => {
      const now = await state()
      return now.certificates.every(({ state: one }) => one === 'valid') && now
    }, PATIENCE)
    expect(certificates.map(({ use, source, names, failure }) => ({ use, source, names, failure }))).toEqual([
      { use: 'console', source: 'acme', names: [DOMAIN], failure: '' },
      { use: 'tunnels', source: 'acme', names: [`*.${TUNNELS}`], failure: '' },
    ])
    for (const { starts_at: from, ends_at: to, renews_at: renewal } of certificates) {
      const [start, end] = [Date.parse(from ?? ''), Date.parse(to ?? '')]
      const share = (Date.parse(renewal ?? '') - start) / (end - start)
      expect(share).toBeGreaterThan(0.66)
      expect(share).toBeLessThan(0.69)
    }
    expect(await commands.bowline('certificate')).toMatch(/^USE +SOURCE +STATE/)
  })

  it('leaves no proof behind, and answers no token then', async () => {
    const proofs = () => server.database.system().selectFrom('acme_challenges').selectAll().execute()
    await until(async () => (await proofs()).length === 0, PATIENCE)
    expect(await ask(`/.well-known/acme-challenge/${'a'.repeat(43)}`)).toMatchObject({ status: 404, text: '' })
  })

  it('leads http to https for its own names only', async () => {
    const { tls } = authority.ports
    expect(await ask('/devices?a=b')).toMatchObject({ status: 308, location: `https://${DOMAIN}:${tls}/devices?a=b` })
    expect(await ask('/', `x.${TUNNELS}`)).toMatchObject({ status: 308, location: `https://x.${TUNNELS}:${tls}/` })
    expect(await ask('/', 'elsewhere.example')).toMatchObject({ status: 421, location: '' })
    expect(await ask('http://elsewhere.example/')).toMatchObject({ status: 421, location: '' })
    expect(await ask('/', DOMAIN, 'POST')).toMatchObject({ status: 405, location: '' })
  })

  it('has its keys sealed in the database, and neither them nor proofs in the log', async () => {
    const system = server.database.system()
    const rows = await system.selectFrom('acme_certificates').select(['use', 'sealed', 'chain']).execute()
    const accounts = await system.selectFrom('acme_accounts').selectAll().execute()
    const secret = new SecretKey(server.secretKey)
    const pems = [
      ...rows.map(({ use, sealed }) => secret.open(`acme-certificate:${use}`, sealed ?? Buffer.alloc(0)).toString()),
      ...accounts.map(({ directory, sealed }) => secret.open(`acme-account:${directory}`, sealed).toString()),
    ]
    expect(pems).toHaveLength(3)
    expect(kept.text()).toContain('certificate.renewed')
    const stored = JSON.stringify([rows, accounts])
    for (const pem of pems) {
      expect(pem).toMatch(/^-----BEGIN PRIVATE KEY-----\n/)
      const [, line = 'none'] = pem.split('\n')
      for (const text of [kept.text(), stored]) expect(text).not.toContain(line)
    }
    expect(kept.text()).not.toMatch(/PRIVATE KEY|thumbprint/)
  })

  it('serves the metrics of what it shows', async () => {
    const { port } = new URL(server.origin)
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect({ port: Number(port), host: '127.0.0.1', servername: DOMAIN, ca: root })
      let text = ''
      socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      socket.once('end', () => resolve(text)).once('error', reject)
      const secret = server.nodeHeaders['x-node-secret']
      socket.write(`GET /metrics HTTP/1.1\r\nhost: ${DOMAIN}\r\nx-node-secret: ${secret}\r\nconnection: close\r\n\r\n`)
    })
    const [, end] = /bowline_certificate_end_timestamp_seconds\{use="console"\} ([\d.e+]+)/.exec(answer) ?? []
    expect(Number(end) * 1_000).toBe(Date.parse((await ofConsole())?.ends_at ?? ''))
    expect(answer).toContain('bowline_certificate_orders_failed_total 0')
  })

  it('renews when its operator asks, and connections that there are stay', async () => {
    const old = await handshake(authority.ports.tls, DOMAIN, root)
    const socket = connect({ port: authority.ports.tls, host: '127.0.0.1', servername: DOMAIN, ca: root })
    await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject))
    expect(await commands.bowline('certificate renew')).toContain('renews now: console, tunnels')
    await shown(DOMAIN, root, old.fingerprint256)
    const answer = new Promise<string>((resolve) => socket.setEncoding('utf8').once('data', resolve))
    socket.write(`GET /info HTTP/1.1\r\nhost: ${DOMAIN}\r\n\r\n`)
    expect(await answer).toContain('HTTP/1.1 200')
    socket.destroy()
  })

  it('renews when the authority asks', async () => {
    await until(async () => (await state()).certificates.every(({ renewing }) => !renewing), PATIENCE)
    const old = await handshake(authority.ports.tls, DOMAIN, root)
    await authority.wantRenewal(old.toString(), new Date(Date.now() - 7_200_000), new Date(Date.now() - 3_600_000))
    const system = server.database.system()
    await system.updateTable('acme_certificates').set({ ask_at: new Date() }).where('use', '=', 'console').execute()
    const renewed = await shown(DOMAIN, root, old.fingerprint256)
    expect(renewed?.validFromDate.getTime()).toBeGreaterThanOrEqual(old.validFromDate.getTime())
  })

  it('keeps its certificate while the authority is away or refuses, and says why', async () => {
    await until(async () => (await ofConsole())?.renewing === false, PATIENCE)
    const old = await handshake(authority.ports.tls, DOMAIN, root)
    await authority.stop()
    await commands.bowline('certificate renew')
    const away = await until(async () => ((await ofConsole())?.failures === 1 ? ofConsole() : undefined), PATIENCE)
    expect(away).toMatchObject({ state: 'valid', failure: expect.stringContaining('cannot be reached') })
    expect(Date.parse(away?.renews_at ?? '')).toBeGreaterThan(Date.now())
    await authority.start()
    await commands.bowline('certificate renew')
    const refused = await until(async () => ((await ofConsole())?.failures === 2 ? ofConsole() : undefined), PATIENCE)
    expect(refused).toMatchObject({ state: 'valid', failure: expect.stringContaining('accountDoesNotExist') })
    expect((await handshake(authority.ports.tls, DOMAIN, root)).fingerprint256).toBe(old.fingerprint256)
    expect(kept.text()).toContain('certificate.failed')
  })

  it('registers again with an authority that has forgotten it', async () => {
    await commands.bowline('certificate renew')
    root = await authority.root()
    await shown(DOMAIN, root)
    expect(await ofConsole()).toMatchObject({ failures: 0, failure: '', failed_at: null })
  })
})

describe.skipIf(authorityMissing !== undefined)(`tls-alpn-01${note}`, () => {
  let server: BootedServer
  let root: string
  beforeAll(async () => {
    root = await authority.root()
    const { BOWLINE_ACME_DNS_HOOK: _, ...settings } = acmeSettings(authority)
    server = await bootServer({ settings: { ...settings, BOWLINE_ACME_CHALLENGE: 'tls-alpn-01' } })
  })
  afterAll(() => server?.close())

  it('gets a certificate at the port of https', async () => {
    expect((await shown(DOMAIN, root))?.subjectAltName).toBe(`DNS:${DOMAIN}`)
  })

  it('proves nothing while no order is under way', async () => {
    for (const name of [DOMAIN, 'elsewhere.example']) {
      await expect(handshake(authority.ports.tls, name, root, ['acme-tls/1'])).rejects.toThrow(REFUSED)
    }
  })

  it('shows the proof to the authority’s protocol only', async () => {
    const system = server.database.system()
    const expires = new Date(Date.now() + 60_000)
    const proof = { kind: 'tls-alpn-01', token: 'a-token-of-a-test', name: DOMAIN, answer: 'an answer' } as const
    await system
      .insertInto('acme_challenges')
      .values({ ...proof, expires_at: expires })
      .execute()
    const proving = await new Promise<string>((resolve, reject) => {
      const options = { port: authority.ports.tls, host: '127.0.0.1', servername: DOMAIN, rejectUnauthorized: false }
      const socket = connect({ ...options, ALPNProtocols: ['acme-tls/1'] }, () => {
        resolve(socket.getPeerX509Certificate()?.subject ?? '')
        socket.destroy()
      })
      socket.once('error', reject)
    })
    expect(proving).toBe('CN=ACME challenge')
    expect((await handshake(authority.ports.tls, DOMAIN, root)).subject).not.toBe(proving)
    await expect(handshake(authority.ports.tls, `x.${DOMAIN}`, root, ['acme-tls/1'])).rejects.toThrow(REFUSED)
  })
})

it.skipIf(authorityMissing !== undefined)(
  `a name that the authority refuses leaves the server its own certificate${note}`,
  async () => {
    const settings = { ...acmeSettings(authority), BOWLINE_DOMAIN: `console.${REFUSED_DOMAIN}` }
    const server = await bootServer({ settings })
    try {
      const { json } = commandsOf(server, settings)
      const failed = await until(async () => {
        const { certificates } = (await json('certificate list')) as ServerCertificates
        return certificates[0]?.failures === 1 && certificates[0]
      }, PATIENCE)
      expect(failed).toMatchObject({ state: 'missing', failure: expect.stringContaining('rejectedIdentifier') })
      await expect(handshake(authority.ports.tls, settings.BOWLINE_DOMAIN, await authority.root())).rejects.toThrow(
        'self-signed',
      )
    } finally {
      await server.close()
    }
  },
)

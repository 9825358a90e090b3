// A real certificate authority that speaks ACME (Pebble), and the DNS server that it asks: every name is this machine,
// and TXT records are set by a program. `.ci/run` installs both.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { selfSignedCertificate } from '@bowline/link/testing/tls'
import { freePort } from './free-port.ts'

const PROGRAMS = resolve(import.meta.dirname, '../../../.cache/pebble')

/** The reason why there is no authority on this machine; undefined when there is one. */
export const authorityMissing: string | undefined = existsSync(join(PROGRAMS, 'pebble-challtestsrv'))
  ? undefined
  : 'needs Pebble, which .ci/run installs'

/** Names below it are refused by the authority. */
export const REFUSED_DOMAIN = 'refused.example'

export interface AcmeAuthority {
  /** Address of the directory. */
  readonly directory: string
  /** File with the certificate of the directory's server. */
  readonly caFile: string
  /** Ports at which the authority looks for http-01 and tls-alpn-01. Nothing listens there. */
  readonly ports: { readonly http: number; readonly tls: number }
  /** Program that adds and removes TXT records. */
  readonly hook: string
  /** Certificate that issued ones are verified by, as PEM. */
  root(): Promise<string>
  /** Makes the authority want the renewal of a certificate between two times. */
  wantRenewal(certificate: string, start: Date, end: Date): Promise<void>
  /** Orders since the start. */
  orders(): number
  /** Ends the authority, which forgets everything. */
  stop(): Promise<void>
  /** Starts it again, at the same address. */
  start(): Promise<void>
  close(): Promise<void>
}

/**
 * Starts an authority on loopback.
 * @param external MAC keys in base64url by their identifiers: accounts must be bound to one of them
 */
export async function startAcmeAuthority(external?: Readonly<Record<string, string>>): Promise<AcmeAuthority> {
  const folder = await mkdtemp(join(tmpdir(), 'bowline-acme-'))
  const ports: number[] = []
  while (ports.length < 6) ports.push(await freePort())
  const [api, management, http, tls, dns, records] = ports
  const { key, cert } = selfSignedCertificate()
  const file = (name: string): string => join(folder, name)
  await writeFile(file('tls.key'), key)
  await writeFile(file('tls.crt'), cert)
  await writeFile(
    file('config.json'),
    JSON.stringify({
      pebble: {
        listenAddress: `127.0.0.1:${api}`,
        managementListenAddress: `127.0.0.1:${management}`,
        certificate: file('tls.crt'),
        privateKey: file('tls.key'),
        httpPort: http,
        tlsPort: tls,
        domainBlocklist: [REFUSED_DOMAIN],
        retryAfter: { authz: 1, order: 1 },
        ...(external ? { externalAccountBindingRequired: true, externalAccountMACKeys: external } : {}),
      },
    }),
  )
  await writeFile(file('hook'), hookOf(`http://127.0.0.1:${records}`), { mode: 0o755 })
  const dnsArguments = ['-management', `127.0.0.1:${records}`, '-dns01', `127.0.0.1:${dns}`, '-defaultIPv6', '']
  const dnsServer = run('pebble-challtestsrv', [
    ...dnsArguments,
    '-http01',
    '',
    '-https01',
    '',
    '-tlsalpn01',
    '',
    '-doh',
    '',
  ])
  await dnsServer.says('Starting management server')
  let authority: Running | undefined
  let orders = 0
  const call = (path: string, body?: string) => httpsCall({ port: management ?? 0, path, ca: cert }, body)

  async function start(): Promise<void> {
    authority = run('pebble', ['-config', file('config.json'), '-dnsserver', `127.0.0.1:${dns}`], {
      PEBBLE_VA_NOSLEEP: '1',
      // Every proof is asked for anew, and some nonces are refused for no reason.
      PEBBLE_AUTHZREUSE: '0',
      PEBBLE_WFE_NONCEREJECT: '10',
    })
    await authority.says('ACME directory available at')
  }
  async function stop(): Promise<void> {
    orders += countOrders(authority)
    await authority?.end()
    authority = undefined
  }
  await start()
  return {
    directory: `https://127.0.0.1:${api}/dir`,
    caFile: file('tls.crt'),
    ports: { http: http ?? 0, tls: tls ?? 0 },
    hook: file('hook'),
    root: () => call('/roots/0'),
    async wantRenewal(certificate, start_, end) {
      const ARIResponse = JSON.stringify({ suggestedWindow: { start: start_.toISOString(), end: end.toISOString() } })
      await call('/set-renewal-info/', JSON.stringify({ Certificate: certificate, ARIResponse }))
    },
    orders: () => orders + countOrders(authority),
    stop,
    start,
    async close() {
      await stop()
      await dnsServer.end()
      await rm(folder, { recursive: true })
    },
  }
}

interface Running {
  readonly output: () => string
  /** Resolves when it has printed a text. */
  says(text: string): Promise<void>
  end(): Promise<void>
}

function countOrders(authority: Running | undefined): number {
  return authority?.output().match(/Added order /g)?.length ?? 0
}

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Running {
  const child: ChildProcess = spawn(join(PROGRAMS, program), args, { env: { ...process.env, ...env } })
  const ended = once(child, 'exit')
  let output = ''
  let heard = (): void => undefined
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      heard()
    })
  }
  return {
    output: () => output,
    says: (text) =>
      new Promise((resolve_, reject) => {
        heard = () => (output.includes(text) ? resolve_() : undefined)
        heard()
        ended.then(() => reject(new Error(`${program} has ended: ${output}`)), reject)
      }),
    async end() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

function hookOf(management: string): string {
  return `#!/bin/sh
set -e
send() { curl -fsS --max-time 10 -d "$2" "${management}/$1"; }
case "$1" in
  add) send set-txt "{\\"host\\":\\"$2.\\",\\"value\\":\\"$3\\"}" ;;
  remove) send clear-txt "{\\"host\\":\\"$2.\\"}" ;;
esac
`
}

function httpsCall(where: { readonly port: number; readonly path: string; readonly ca: string }, body?: string) {
  return new Promise<string>((resolve_, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    const call = request({ host: '127.0.0.1', method, ...where }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.once('end', () => (response.statusCode === 200 ? resolve_(text) : reject(new Error(text))))
    })
    call.once('error', reject)
    call.end(body)
  })
}

// The compose files of deploy/, started by podman-compose with the commands of the page Deploying. By command, because it
// builds a release and images first: `npm test -- --project long e2e/deploy/compose`.
import { appendFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createClient } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { OWN_AGENT, buildStale } from '../../scripts/build.ts'
import { makeReleases, versionOfCheckout } from '../../scripts/release/release.ts'
import { scriptOf } from '../release/page.ts'
import { cleanups } from '../support/cleanup.ts'
import { makeDevice } from '../support/device.ts'
import { ssh, startEcho } from '../support/ssh.ts'
import { until } from '../support/wait.ts'
import { ADDRESS, type ComposeMachine, composeProblem, makeComposeMachine } from './compose-machine.ts'

const MINUTE_MS = 60_000
const DOMAIN = 'bowline.example.com'
const origin = `https://${DOMAIN}`
const account = { username: 'operator', password: 'correct horse' }
const arch = process.arch === 'arm64' ? 'arm64' : 'x64'
const problem = composeProblem()

/** An authority of ours instead of Let's Encrypt, which knows the server by that name. */
const OVERRIDE = `services:
  bowline:
    environment: { BOWLINE_ACME_DIRECTORY: 'https://authority:14000/dir', BOWLINE_ACME_CA_FILE: /authority.pem }
    volumes: ['./authority.pem:/authority.pem:ro']
    networks: { default: { aliases: [${DOMAIN}] } }
  authority: { image: localhost/authority, ports: ['15000:15000'] }
`

/** Requests that find the containers by the domain, and trust a certificate. */
const fetchBy = (ca: string): typeof fetch =>
  async function fetchThere(url, { method, headers, body } = {}) {
    const sent = request(String(url), {
      method: method ?? 'GET',
      headers: Object.fromEntries(new Headers(headers)),
      ca,
      lookup: (_, __, found) => found(null, [{ address: ADDRESS, family: 4 }]),
    })
    sent.end(body)
    const [answer] = await Promise.all([
      new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
        sent.once('response', resolve).once('error', reject)
      }),
    ])
    return new Response(await text(answer), { status: answer.statusCode ?? 0 })
  }

describe.skipIf(problem !== undefined)(`the compose files (${problem ?? 'by podman-compose'})`, () => {
  vi.setConfig({ hookTimeout: 30 * MINUTE_MS })
  const undo = cleanups()
  let machine: ComposeMachine
  const file = (name: string): string => join(machine.folder, 'deploy/compose', name)

  beforeAll(async () => {
    machine = makeComposeMachine()
    undo(() => machine.remove())
    await buildStale(['console', 'docs', OWN_AGENT])
    const target = join(machine.folder, 'release')
    makeReleases({ arch, versions: [versionOfCheckout()], agents: [arch], target, compression: 1 })
  })

  /** Sets the first account up, joins a device. @param ca certificate in PEM that signs the server's */
  async function firstSteps(link: string, ca: string) {
    expect(link.startsWith(`${origin}/setup?`)).toBe(true)
    writeFileSync(file('ca.pem'), ca)
    const fetchThere = fetchBy(ca)
    const anonymous = createClient({ origin, fetch: fetchThere })
    const sign = new URL(link).searchParams.get('sign') ?? ''
    const person = { ...account, name: 'Olga Operator', email: 'operator@example.com' }
    await anonymous.call(operations.instance.setup, { query: { sign }, body: person })
    const { token, tenant } = (await anonymous.call(operations.auth.login, { body: account })).body
    const client = createClient({ origin, token: () => token, fetch: fetchThere })
    const device = makeDevice()
    undo(() => device.remove())
    appendFileSync(join(device.etc, 'hosts'), `${ADDRESS} ${DOMAIN}\n`)
    const server = { origin, tenant, ssh: { host: ADDRESS, port: 22 }, client: () => Promise.resolve(client) }
    return device.startAgent(server, 'composed', { NODE_EXTRA_CA_CERTS: file('ca.pem') })
  }
  const linkIn = (output: string): string => /http\S+\/setup\?sign=\w+/.exec(output)?.[0] ?? ''
  const says = async (target: Parameters<typeof ssh>[0]) => (await ssh(target, ['echo works'])).stdout.toString()

  it(
    'runs one node by the commands of the page, with a certificate, and has the data after a stop',
    async () => {
      writeFileSync(file('compose.override.yaml'), OVERRIDE)
      const script = (await scriptOf('self-hosted/deploying.md', 'compose'))
        .replaceAll('linux-x64', `linux-${arch}`)
        .replaceAll(/^cd /gm, `cd ${machine.folder}/`)
      const output = machine.run(`cd ${machine.folder}\n${script}`)
      undo(() => machine.run('podman-compose down -v'))
      const bowline = 'podman exec compose_bowline_1 /opt/bowline/bin/node /opt/bowline/apps/server/src/main.ts'
      await until('a certificate is there', () => / acme +valid /.test(machine.run(`${bowline} certificate`)))
      const ca = machine.run(`curl -fsSk https://${ADDRESS}:15000/roots/0`)
      const target = await firstSteps(linkIn(output), ca)
      expect(await says(target)).toBe('works\n')
      machine.run('podman-compose down && podman-compose up -d')
      await until('the device is back', async () => (await says(target)) === 'works\n', MINUTE_MS)
      expect(machine.run(`${bowline} user list`)).toContain('operator')
      machine.run('podman-compose down -v')
    },
    15 * MINUTE_MS,
  )
})

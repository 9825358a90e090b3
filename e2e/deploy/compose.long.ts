// The compose files of deploy/, started by podman-compose with the commands of the page Deploying. By command, because it
// builds a release and images first: `npm test -- --project long e2e/deploy/compose`.
import { once } from 'node:events'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createClient } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { OWN_AGENT, buildStale } from '../../scripts/build.ts'
import { makeReleases, versionOfCheckout } from '../../scripts/release/release.ts'
import { stepsOf } from '../release/page.ts'
import { cleanups } from '../support/cleanup.ts'
import { makeDevice } from '../support/device.ts'
import { ssh } from '../support/ssh.ts'
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
    const sent = request(new URL(url instanceof Request ? url.url : url), {
      method: method ?? 'GET',
      headers: Object.fromEntries(new Headers(headers)),
      ca,
      lookup: (_, __, found) => found(null, [{ address: ADDRESS, family: 4 }]),
    })
    sent.end(body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
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
      const steps = await stepsOf('self-hosted/deploying.md', 'compose')
      const [image = '', up = ''] = steps.flatMap((step) => ('script' in step ? [step.script] : []))
      machine.build(image.replaceAll('linux-x64', `linux-${arch}`))
      const output = machine.run(up)
      undo(() => machine.run('cd deploy/compose && podman-compose down -v'))
      const bowline = 'podman exec compose_bowline_1 /opt/bowline/bin/node /opt/bowline/apps/server/src/main.ts'
      await until('a certificate is there', () => / acme +valid /.test(machine.run(`${bowline} certificate`)))
      const ca = machine.run(`curl -fsSk https://${ADDRESS}:15000/roots/0`)
      const target = await firstSteps(linkIn(output), ca)
      expect(await says(target)).toBe('works\n')
      machine.run('cd deploy/compose && podman-compose down && podman-compose up -d')
      await until('the device is back', async () => (await says(target)) === 'works\n', MINUTE_MS)
      expect(machine.run(`${bowline} user list`)).toContain('operator')
      machine.run('cd deploy/compose && podman-compose down -v')
    },
    15 * MINUTE_MS,
  )

  it(
    'runs three nodes behind HAProxy, and ssh goes on when any one of them is killed',
    async () => {
      machine.run(
        `cd deploy/compose
        rm -f compose.override.yaml
        echo "NODE_SECRET=$(openssl rand -hex 32)" >>.env
        echo S3_ACCESS_KEY_ID=key >>.env
        echo S3_SECRET_ACCESS_KEY=secret >>.env
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=${DOMAIN} \
          -addext subjectAltName=DNS:${DOMAIN} -keyout key.pem -out cert.pem
        cat cert.pem key.pem >bowline.pem`,
      )
      writeFileSync(file('haproxy.cfg'), balancerOf(readFileSync(file('../balancers/haproxy.cfg'), 'utf8')))
      machine.run('cd deploy/compose && podman-compose -f nodes.yaml up -d')
      undo(() => machine.run('cd deploy/compose && podman-compose -f nodes.yaml down -v'))
      const link = await until(
        'a node listens',
        () => linkIn(machine.run('podman logs compose_node1_1 2>&1')) || undefined,
      )
      const ca = readFileSync(file('cert.pem'), 'utf8')
      await until(
        'HAProxy has found the nodes',
        async () => (await fetchBy(ca)(`${origin}/healthcheck`)).status === 200,
      )
      const target = await firstSteps(link, ca)
      expect(await says(target)).toBe('works\n')
      for (const node of ['compose_node1_1', 'compose_node2_1', 'compose_node3_1']) {
        machine.run(`podman kill ${node}`)
        await until(`ssh works without ${node}`, async () => (await says(target)) === 'works\n', MINUTE_MS)
        machine.run(`podman start ${node}`)
        await until(`${node} is back`, () => linked(machine.run(`podman logs --tail 20 ${node} 2>&1`)), MINUTE_MS)
      }
      machine.run('cd deploy/compose && podman-compose -f nodes.yaml down -v')
    },
    15 * MINUTE_MS,
  )
})

const linked = (log: string): boolean => log.slice(log.lastIndexOf('server.starting')).includes('Bowline listens')

/** HAProxy's file with the three nodes of nodes.yaml, and no more connections than this account may open. */
function balancerOf(configuration: string): string {
  return configuration
    .replaceAll(/^( +server node)2( 10\.0\.0\.1)2(:.*)$/gm, '$12$22$3\n$13$23$3')
    .replaceAll('10.0.0.1', '10.77.0.1')
    .replace('maxconn 50000', 'maxconn 500')
}

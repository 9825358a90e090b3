// Test support for the whole agent: a platform in this process, with registration and the server's end of the link.
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { acceptLink } from '@bowline/link/accept'
import type { Link, LinkCause } from '@bowline/link/api'
import { foregroundClock } from '@bowline/base/clock'
import { LINK_PATH, refuseUpgrade } from '@bowline/link/upgrade'
import * as z from 'zod'

export const DEVICE_UID = 'd'.repeat(64)
export const TENANT = '00000000-0000-4000-8000-000000000000'

const Body = z.object({
  hostname: z.string(),
  identity: z.object({ mac: z.string() }),
  public_key: z.string(),
  tenant_id: z.string(),
  sessions: z.array(z.string()),
  info: z.object({
    id: z.string(),
    pretty_name: z.string(),
    version: z.string(),
    arch: z.string(),
    platform: z.string(),
  }),
  proof: z.object({ at: z.number(), signature: z.string() }).optional(),
})

const PairingRequest = Body.omit({ tenant_id: true, sessions: true }).required({ proof: true })

export interface FakePlatform {
  readonly address: string
  readonly registrations: z.infer<typeof Body>[]
  /** Links that have been accepted, oldest first. */
  readonly links: Link[]
  /** Why links ended, in order. */
  readonly ends: LinkCause[]
  /** Additional response fields of `devices/auth`. */
  readonly extra: Record<string, unknown>
  /** While set, `devices/auth` responds with this status. */
  refuseRegistration: number | undefined
  /** While set, links are refused with this status. */
  refuseLinks: number | undefined
  /** Requests for pairing codes; the nth gets the secret `secret-n` and a code that ends with the nth consonant. */
  readonly codeRequests: z.infer<typeof PairingRequest>[]
  /** Secrets by which agents have asked whether a member has used their code. */
  readonly polls: string[]
  /** Answers such a question. */
  onPoll: () => { readonly status: number; readonly body: object }
  /** Tokens presented by links. */
  readonly tokens: (string | undefined)[]
  close(): Promise<void>
}

export async function startPlatform(tls?: { key: string; cert: string }): Promise<FakePlatform> {
  const server: Server = tls ? createTlsServer(tls) : createServer()
  const sockets = new Set<Duplex>()
  server.on(tls ? 'secureConnection' : 'connection', (socket: Duplex) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('request', async (request, response) => {
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.url?.startsWith('/info')) {
      return answer(200, { version: '0.1.0', endpoints: { api: 'localhost', ssh: 'localhost:2222' } })
    }
    if (request.url === '/api/pairings') {
      platform.codeRequests.push(PairingRequest.parse(JSON.parse(await text(request))))
      const nth = platform.codeRequests.length
      const codes = { device_code: `secret-${nth}`, user_code: `BCDF-GHJ${'KLMN'[nth - 1]}` }
      return answer(200, { ...codes, fingerprint: 'SHA256:key', expires_in: 900, interval: 5 })
    }
    if (request.url === '/api/pairings/poll') {
      platform.polls.push(z.object({ device_code: z.string() }).parse(JSON.parse(await text(request))).device_code)
      const { status, body } = platform.onPoll()
      return answer(status, body)
    }
    if (request.url !== '/api/devices/auth') return answer(404, {})
    if (platform.refuseRegistration) return answer(platform.refuseRegistration, { message: 'not today' })
    platform.registrations.push(Body.parse(JSON.parse(await text(request))))
    const token = `token-${platform.registrations.length}`
    answer(200, { uid: DEVICE_UID, token, name: 'box', namespace: 'home', ...platform.extra })
  })
  server.on('upgrade', async (request, socket, head) => {
    platform.tokens.push(request.headers.authorization)
    const publicKeyPem = platform.registrations.at(-1)?.public_key ?? ''
    if (request.url !== LINK_PATH || platform.refuseLinks) return refuseUpgrade(socket, platform.refuseLinks ?? 404)
    const outcome = await acceptLink(
      request,
      socket,
      head,
      { uid: DEVICE_UID, publicKeyPem },
      {
        handler: {
          open: () => ({ by: 'gateway', reason: 'refused', message: '' }),
          closed: (cause) => platform.ends.push(cause),
        },
        clock: foregroundClock,
        report(error) {
          throw error
        },
      },
    )
    if ('link' in outcome) platform.links.push(outcome.link)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('the platform listens on a port')
  const platform: FakePlatform = {
    address: `${tls ? 'https' : 'http'}://localhost:${bound.port}`,
    registrations: [],
    links: [],
    ends: [],
    extra: {},
    refuseRegistration: undefined,
    refuseLinks: undefined,
    codeRequests: [],
    polls: [],
    onPoll: () => ({ status: 400, body: { code: 'CODE_PENDING' } }),
    tokens: [],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
  return platform
}

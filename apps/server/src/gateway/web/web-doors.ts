// Where browsers open terminals: WebSockets that bring a ticket. Their pages are our own: Origin is checked.
import type { IncomingMessage } from 'node:http'
import { refuseUpgrade } from '@bowline/link/upgrade'
import { type WebSocket, WebSocketServer } from 'ws'
import type { TenantContext } from '../../context.ts'
import { sourceKey } from '../../platform/address.ts'
import type { Clock } from '../../platform/clock.ts'
import { createLimiter } from '../../platform/limiter.ts'
import type { Log } from '../../platform/log.ts'
import type { TicketTarget, Tickets } from '../../terminals/tickets.ts'
import type { Gateway } from '../gateway.ts'
import type { UpgradeDoor } from '../upgrades.ts'
import { type LegacyCredential, createLegacyTerminal } from './legacy-terminal.ts'
import { keepAlive } from './keep-alive.ts'
import { isOwnOrigin } from './own-origin.ts'
import { createWebConnection } from './web-connection.ts'

export interface WebDoorsDeps {
  readonly gateway: Pick<Gateway, 'admitWeb'>
  readonly tickets: Pick<Tickets, 'take'>
  readonly clock: Clock
  readonly log: Log
  /** Context of a namespace for the gateway itself. */
  readonly contextOf: (target: TicketTarget) => TenantContext
  /** Wire encoding of a registered key. */
  readonly findKey: (ctx: TenantContext, fingerprint: string) => Promise<Uint8Array | undefined>
}

export interface WebDoors {
  /** At `/ws/ssh`, for existing clients. */
  readonly legacy: UpgradeDoor
  /** Ends every WebSocket that is still there. */
  close(): void
}

/** Upgrades a second from one source: tickets cannot be guessed, but trying costs. */
const UPGRADES = { perSecond: 10, burst: 100 }
const LEGACY_MESSAGE_BYTES = 1_048_576
const TOO_MANY = 'Bowline: too many connections from this address; try again later.'

export function createWebDoors(deps: WebDoorsDeps): WebDoors {
  const upgrades = createLimiter(deps.clock, UPGRADES.perSecond, UPGRADES.burst)
  const legacyServer = webSocketServer(LEGACY_MESSAGE_BYTES)
  const open = new Set<WebSocket>()

  /** Upgrades what may be upgraded; `take` gets the WebSocket. */
  function upgrade(
    server: WebSocketServer,
    [request, socket, head, remote]: Parameters<UpgradeDoor>,
    take: (webSocket: WebSocket) => void,
  ): void {
    if (!upgrades.take(sourceKey(remote))) return refuseUpgrade(socket, 429, { 'Retry-After': '5' })
    if (!isOwnOrigin(request)) return refuseUpgrade(socket, 403)
    server.handleUpgrade(request, socket, head, (webSocket) => {
      open.add(webSocket)
      webSocket.on('close', () => open.delete(webSocket))
      // The close that follows says all.
      webSocket.on('error', () => undefined)
      keepAlive(webSocket, deps.clock)
      take(webSocket)
    })
  }

  async function credentialOf(target: TicketTarget): Promise<LegacyCredential> {
    const { credential = { password: '' } } = target
    if ('password' in credential) return credential
    return { key: await deps.findKey(deps.contextOf(target), credential.fingerprint) }
  }

  function serveLegacy(webSocket: WebSocket, request: IncomingMessage, remote: string, target: TicketTarget): void {
    const size = dimensions(request)
    const terminal = createLegacyTerminal(webSocket)
    const { view } = terminal
    const peer = { address: remote, port: request.socket.remotePort ?? 0 }
    const login = `${target.username}@${target.device}`
    const refusal = deps.gateway.admitWeb(
      remote,
      () => undefined,
      (handler) => {
        const connection = createWebConnection({ handler, view, peer, login, clock: deps.clock })
        credentialOf(target)
          .then((credential) => terminal.run(connection, credential, { term: 'xterm-256color', ...size }))
          .catch((error: unknown) => {
            deps.log.error('session.error', { err: error })
            connection.disconnect({
              by: 'local',
              reason: 'failed',
              message: 'Bowline: the terminal could not be opened.',
            })
          })
        return connection
      },
    )
    if (refusal !== undefined) view.closed({ by: 'limit', reason: refusal, message: TOO_MANY })
  }

  return {
    legacy(...upgraded) {
      const [request, socket, , remote] = upgraded
      const ticket = new URL(request.url ?? '', 'ws://localhost').searchParams.get('token') ?? ''
      const target = deps.tickets.take(ticket)
      if (!target?.credential) return refuseUpgrade(socket, 401)
      upgrade(legacyServer, upgraded, (webSocket) => serveLegacy(webSocket, request, remote, target))
    },
    close() {
      for (const webSocket of open) webSocket.terminate()
    },
  }
}

/** @param maxPayload longest message, bytes; a longer one ends the connection (1009) before it is read */
function webSocketServer(maxPayload: number): WebSocketServer {
  return new WebSocketServer({ noServer: true, maxPayload, perMessageDeflate: false, clientTracking: false })
}

/** `cols` and `rows`, 0 to 255; what is missing or 0 is usual. */
function dimensions(request: IncomingMessage): { columns: number; rows: number; width: number; height: number } {
  const { searchParams } = new URL(request.url ?? '', 'ws://localhost')
  const read = (name: string, usual: number): number => {
    const text = searchParams.get(name) ?? ''
    return /^\d{1,3}$/.test(text) && Number(text) <= 255 ? Number(text) || usual : usual
  }
  return { columns: read('cols', 80), rows: read('rows', 24), width: 0, height: 0 }
}

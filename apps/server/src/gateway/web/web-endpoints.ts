// The WebSocket endpoints of web terminals. Clients authenticate by ticket; Origin must be our own.
import type { IncomingMessage } from 'node:http'
import { TERMINAL, TERMINAL_SUBPROTOCOL } from '@bowline/contract/terminal/messages'
import { refuseUpgrade } from '@bowline/link/upgrade'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Clock } from '@bowline/base/clock'
import { RateLimiter } from '@bowline/base/rate-limiter'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { audit } from '../../audit/service.ts'
import type { TenantContext } from '../../context.ts'
import { sourceKey } from '../../platform/network/address.ts'
import { isOwnOrigin } from '../../platform/network/own-origin.ts'
import type { Log } from '../../platform/log.ts'
import type { JoinTarget, LegacyTarget, TicketTarget, Tickets } from '../../terminals/tickets.ts'
import type { Gateway } from '../gateway.ts'
import type { UpgradeHandler } from '../links/upgrades.ts'
import { type Carried, type Conversation, createConversation } from './conversation.ts'
import { type ShownCredential, createLegacyTerminal } from './legacy-terminal.ts'
import { keepAlive } from './keep-alive.ts'
import type { LinkCause, LinkMessage, LinkStream, StreamHandler } from '@bowline/link/api'
import { CarriedTerminal, acceptCarried, carryTerminal } from './carried-terminals.ts'
import type { SharedTerminals } from '../sharing/shared-terminals.ts'
import { createResumableTerminals } from './resumable-terminals.ts'
import { createWebConnection } from './web-connection.ts'
import type { FrameSocket } from './web-terminal.ts'
import { TEXTS } from '../record/texts.ts'

export interface WebEndpointsDeps {
  readonly gateway: Pick<Gateway, 'admitWeb'>
  readonly tickets: Pick<Tickets<TicketTarget>, 'take'>
  readonly legacyTickets: Pick<Tickets<LegacyTarget>, 'take'>
  readonly joinTickets: Pick<Tickets<JoinTarget>, 'take'>
  /** Terminals that others may join. */
  readonly shared: SharedTerminals
  readonly clock: Clock
  /** How long a terminal is kept without a connection. */
  readonly resumeSeconds: number
  /** Id of this node. */
  readonly node: string
  /** Opens the stream of a browser's terminal to another node; undefined where there is no link with it. */
  readonly carry: (
    node: string,
    header: CarriedTerminal,
    handler: (stream: LinkStream) => StreamHandler,
  ) => LinkStream | undefined
  readonly log: Log
  /** The gateway's own context in the namespace of a device; undefined for an unknown device. */
  readonly contextOf: (device: DeviceUid) => Promise<TenantContext | undefined>
  /** Wire encoding of a registered key. */
  readonly findKey: (ctx: TenantContext, fingerprint: string) => Promise<Uint8Array | undefined>
  /** Allows key logins by consoles up to v0.19: their signature covers the user name only. */
  readonly takesSignaturesOverNames: boolean
}

export interface WebEndpoints {
  /** A terminal whose browser has reached another node. */
  accept(header: LinkMessage, stream: LinkStream): StreamHandler | LinkCause
  /** At `/ws/ssh`, for existing clients. */
  readonly legacy: UpgradeHandler
  /** At `/ws/terminal`: our own protocol. */
  readonly terminal: UpgradeHandler
  /** Closes every open WebSocket. */
  close(): void
}

/** Upgrades per second and source: tickets cannot be guessed, but each attempt costs CPU. */
const UPGRADES = { perSecond: 10, burst: 100 }
const LEGACY_MESSAGE_BYTES = 1_048_576
/** WebSockets without a ticket yet. */
const MAX_PENDING_HANDSHAKES = { perSource: 20, total: 500 }
/** Close codes of a page that is done or going away (RFC 6455 section 7.4.1). */
const PAGE_CODES: readonly number[] = [1000, 1001]
const NO_FRAME = new Uint8Array(0)
/** Time for browsers to complete the closing handshake. */
const CLOSE_TIMEOUT_MS = 1_000

export function createWebEndpoints(deps: WebEndpointsDeps): WebEndpoints {
  const upgrades = new RateLimiter(deps.clock, UPGRADES)
  const legacyServer = webSocketServer(LEGACY_MESSAGE_BYTES)
  const terminalServer = webSocketServer(TERMINAL.messageBytes)
  const resumable = createResumableTerminals(deps.node)
  /** Oldest first. */
  const conversations = new Map<Conversation, { readonly source: string; readonly webSocket: WebSocket }>()
  const open = new Set<WebSocket>()

  /** Upgrades an allowed request and passes the WebSocket to `take`. */
  function upgrade(
    server: WebSocketServer,
    [request, socket, head, { remote, host }]: Parameters<UpgradeHandler>,
    take: (webSocket: WebSocket) => void,
  ): void {
    if (!upgrades.take(sourceKey(remote))) return refuseUpgrade(socket, 429, { 'Retry-After': '5' })
    if (!isOwnOrigin(request.headers, host)) return refuseUpgrade(socket, 403)
    server.handleUpgrade(request, socket, head, (webSocket) => {
      open.add(webSocket)
      webSocket.on('close', () => open.delete(webSocket))
      // The `close` event that follows handles it.
      webSocket.on('error', () => undefined)
      keepAlive(webSocket, deps.clock)
      take(webSocket)
    })
  }

  async function credentialOf(
    { device, username, credential }: LegacyTarget,
    remote: string,
  ): Promise<ShownCredential> {
    if ('password' in credential) return credential
    const ctx = await deps.contextOf(device)
    const blob = ctx && (await deps.findKey(ctx, credential.fingerprint))
    if (credential.signature === undefined) return { blob }
    return {
      // Treated like an unknown key.
      blob: deps.takesSignaturesOverNames ? blob : undefined,
      signature: {
        username,
        signature: Buffer.from(credential.signature, 'base64'),
        async accepted(session) {
          const { fingerprint } = credential
          deps.log.warn('terminal.legacy-signature', { session, source: remote, device, username, fingerprint })
          if (ctx)
            await audit({ ...ctx, source: remote }, 'session.legacy-signature', session, { username, fingerprint })
        },
      },
    }
  }

  function serveLegacy(webSocket: WebSocket, request: IncomingMessage, remote: string, target: LegacyTarget): void {
    const size = dimensions(request)
    const terminal = createLegacyTerminal(webSocket, { binary: encodesItsUrl(request) })
    const { view } = terminal
    const peer = { address: remote, port: request.socket.remotePort ?? 0 }
    const login = `${target.username}@${target.device}`
    const refusal = deps.gateway.admitWeb(
      remote,
      { person: undefined },
      () => undefined,
      (handler) => {
        const connection = createWebConnection({ handler, view, peer, login, clock: deps.clock })
        terminal
          .run(connection, credentialOf(target, remote), { term: 'xterm-256color', ...size })
          .catch((error: unknown) => {
            deps.log.error('session.error', { err: error })
            connection.disconnect({
              by: 'local',
              reason: 'failed',
              message: TEXTS.terminalFailed,
            })
          })
        return connection
      },
    )
    if (refusal !== undefined) view.closed({ by: 'limit', reason: refusal, message: TEXTS.tooManyConnections })
  }

  function serveTerminal(webSocket: WebSocket, request: IncomingMessage, remote: string): void {
    const socket: FrameSocket = {
      send: (frame) => webSocket.send(frame, { binary: true }),
      close: () => webSocket.close(1000),
      get bufferedBytes() {
        return webSocket.bufferedAmount
      },
    }
    const peer = { address: remote, port: request.socket.remotePort ?? 0 }
    const origin = request.headers.origin ?? ''
    const header = { ...peer, origin }
    const carry = (node: string, from: FrameSocket, join?: JoinTarget): Carried | undefined =>
      node === deps.node ? undefined : carryTerminal((handler) => deps.carry(node, { ...header, join }, handler), from)
    const conversation = createConversation({ ...deps, resumable, carry }, socket, peer, origin)
    conversations.set(conversation, { source: sourceKey(remote), webSocket })
    webSocket.on('message', (data: Buffer, isBinary) => conversation.receive(isBinary ? data : NO_FRAME))
    webSocket.on('close', (code) => {
      conversations.delete(conversation)
      conversation.closed(PAGE_CODES.includes(code))
    })
  }

  return {
    accept(header, stream) {
      const parsed = CarriedTerminal.safeParse(header)
      if (!parsed.success)
        return { by: 'gateway', reason: 'protocol', message: 'The header of the stream is malformed.' }
      const { address, port, origin, join } = parsed.data
      const parts = { ...deps, resumable, carry: undefined }
      return acceptCarried(stream, (socket) => {
        const conversation = createConversation(parts, socket, { address, port }, origin)
        if (join) conversation.join(join)
        return conversation
      })
    },
    terminal(...upgraded) {
      const [request, socket, , { remote }] = upgraded
      const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())
      if (!offered.includes(TERMINAL_SUBPROTOCOL)) return refuseUpgrade(socket, 400)
      const pending = [...conversations].filter(([{ isPending }]) => isPending).map(([, entry]) => entry)
      const ofSource = pending.filter(({ source }) => source === sourceKey(remote))
      if (ofSource.length >= MAX_PENDING_HANDSHAKES.perSource) return refuseUpgrade(socket, 429, { 'Retry-After': '5' })
      // A browser sends its ticket at once: the longest silent client is the least likely to be one.
      if (pending.length >= MAX_PENDING_HANDSHAKES.total) pending[0]?.webSocket.terminate()
      upgrade(terminalServer, upgraded, (webSocket) => serveTerminal(webSocket, request, remote))
    },
    legacy(...upgraded) {
      const [request, socket, , { remote }] = upgraded
      const ticket = new URL(request.url ?? '', 'ws://localhost').searchParams.get('token') ?? ''
      const redeemed = (target: LegacyTarget | undefined): void => {
        if (!target) return refuseUpgrade(socket, 401)
        upgrade(legacyServer, upgraded, (webSocket) => serveLegacy(webSocket, request, remote, target))
      }
      const target = deps.legacyTickets.take(ticket)
      if (!(target instanceof Promise)) return redeemed(target)
      target.then(redeemed, () => refuseUpgrade(socket, 503, { 'Retry-After': '5' }))
    },
    close() {
      for (const webSocket of open) {
        webSocket.close(1001)
        deps.clock.after(CLOSE_TIMEOUT_MS, () => webSocket.terminate())
      }
    },
  }
}

/** @param maxPayload limit of a message in bytes; a longer one closes the connection (1009) before it is read */
function webSocketServer(maxPayload: number): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    maxPayload,
    perMessageDeflate: false,
    clientTracking: false,
    autoPong: false,
  })
}

/**
 * Detects clients since v0.20, which encode the parameters of their URL. They display binary messages and parse text
 * messages as JSON; earlier ones, which do not encode the token, display text messages only.
 */
function encodesItsUrl(request: IncomingMessage): boolean {
  return /[?&]token=[^&]*%7e/i.test(request.url ?? '')
}

/** `cols` and `rows`, 0 to 255; defaults for a missing value or 0. */
function dimensions(request: IncomingMessage): { columns: number; rows: number; width: number; height: number } {
  const { searchParams } = new URL(request.url ?? '', 'ws://localhost')
  const read = (name: string, usual: number): number => {
    const text = searchParams.get(name) ?? ''
    return /^\d{1,3}$/.test(text) && Number(text) <= 255 ? Number(text) || usual : usual
  }
  return { columns: read('cols', 80), rows: read('rows', 24), width: 0, height: 0 }
}

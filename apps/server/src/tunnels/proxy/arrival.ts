// A request at a tunnel's host: as HTTP, or as an upgrade that owns its socket. The proxy treats both alike.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { LiveTunnel } from '../live.ts'
import type { Accounting } from './accounting.ts'
import { type ClientRequest, type ClientResponse, answerPage, breakOff } from './exchange.ts'
import type { Origin } from './headers/headers.ts'
import { http1Carrier } from './http1.ts'
import { http2Carrier } from './http2.ts'
import type { KeptConnections } from './kept-connections.ts'
import type { Page } from './pages.ts'
import { answerSocket, carryUpgrade } from './upgrade.ts'

/** Connections to the service. */
export interface Ways {
  /** Opens one that the proxy ends with the request. */
  readonly connect: () => Duplex
  /** Opens one that may outlive the request, in `kept`. */
  readonly open: () => Duplex
  readonly kept: KeptConnections
}

export interface Arrival {
  readonly request: ClientRequest
  readonly origin: Origin
  /** The visitor has left. */
  readonly isGone: () => boolean
  /** Writes an answer of this server; breaks off an answer that has begun. */
  readonly answer: (page: Page) => void
  /** Status of the answer; 0 before it has begun. */
  readonly status: () => number
  /** Called once, when the visitor's side has closed. */
  readonly onClose: (over: () => void) => void
  /** Passes the request to the service. @returns ends it */
  readonly carry: (tunnel: LiveTunnel, ways: Ways, counts: Accounting, answered: () => void) => () => void
}

/** A request over HTTP/1.1 or HTTP/2. @param expectsContinue its body comes only after `100 Continue` */
export function httpArrival(
  request: ClientRequest,
  response: ClientResponse,
  origin: Origin,
  expectsContinue: boolean,
): Arrival {
  request.on('error', () => undefined)
  response.on('error', () => undefined)
  return {
    request,
    origin,
    isGone: () => response.destroyed,
    answer: (page) => (response.headersSent ? breakOff(response) : answerPage(response, page)),
    status: () => (response.headersSent ? response.statusCode : 0),
    onClose: (over) => response.on('close', over),
    carry(target, { connect, open, kept }, { sent, received }, answered) {
      const carrier = target.http2
        ? http2Carrier(connect, target.tls !== 'none')
        : http1Carrier(connect, () => kept.optionsFor(request, origin.remote, target, open))
      const { abort } = carrier({ request, response, origin, target, expectsContinue, sent, received, answered })
      return () => abort()
    },
  }
}

/** A request for an upgrade. @param head first bytes behind it */
export function upgradeArrival(request: IncomingMessage, socket: Duplex, head: Buffer, origin: Origin): Arrival {
  let status = 0
  socket.on('error', () => socket.destroy())
  return {
    request,
    origin,
    isGone: () => socket.destroyed,
    answer(page) {
      if (status === 0) {
        status = page.status
        answerSocket(socket, page)
      } else socket.destroy()
    },
    status: () => status,
    onClose: (over) => socket.on('close', over),
    carry(target, { connect }, { sent, received }, answered) {
      const note = (code: number): void => {
        status = code
        answered()
      }
      const { abort } = carryUpgrade({ request, socket, head, origin, target, sent, received, answered: note }, connect)
      return abort
    },
  }
}

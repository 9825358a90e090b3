// A web terminal of the console's own code, whose connections reach the nodes that a test chooses.
import { userInfo } from 'node:os'
import { operations } from '@bowline/contract/operations'
import {
  type RemoteTerminal,
  openRemoteTerminal,
} from '../../apps/console/src/features/terminal/connection/remote-terminal.ts'
import type { Agent } from '../support/agent.ts'
import type { Server } from '../support/server.ts'

export interface ClusterTerminal {
  readonly terminal: RemoteTerminal
  readonly sockets: readonly WebSocket[]
  /** Everything that it has shown. */
  readonly shown: () => string
}

/**
 * @param ticketOf node that makes the ticket
 * @param at node that the browser's nth connection reaches
 */
export async function openClusterTerminal(
  { device, target }: Agent,
  ticketOf: Server,
  at: (connection: number) => Server,
): Promise<ClusterTerminal> {
  const { username } = userInfo()
  const { call } = await ticketOf.client()
  const chunks: string[] = []
  const sockets: WebSocket[] = []
  const { origin } = ticketOf
  const terminal = openRemoteTerminal({
    origin,
    openSocket(url, protocol) {
      const reached = at(sockets.length).origin
      const socket = new WebSocket(url.replace(new URL(origin).host, new URL(reached).host), {
        protocols: [protocol],
        headers: { Origin: reached },
      })
      sockets.push(socket)
      return socket
    },
    later(work, delayMs) {
      const timer = setTimeout(work, delayMs)
      return () => clearTimeout(timer)
    },
    now: () => performance.now(),
    target: { device: device.uid, username },
    credential: { kind: 'password', password: target.password },
    size: { columns: 100, rows: 30 },
    ticket: async () =>
      (await call(operations.terminals.open, { params: { uid: device.uid }, body: { username } })).body.ticket,
    output(bytes, done) {
      chunks.push(Buffer.from(bytes).toString())
      done()
    },
  })
  return { terminal, sockets, shown: () => chunks.join('') }
}

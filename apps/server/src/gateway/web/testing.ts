// Test browsers for web terminals: an in-process WebSocket client that sends a browser's headers.
import { once } from 'node:events'
import { operations } from '@bowline/contract/operations'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { dataFrame, messageFrame, readFrame, takenFrame } from '@bowline/contract/terminal/frames'
import {
  type ClientMessage,
  ServerMessage,
  TERMINAL_PATH,
  TERMINAL_SUBPROTOCOL,
} from '@bowline/contract/terminal/messages'
import { WebSocket } from 'ws'
import { onTestFinished } from 'vitest'
import type * as z from 'zod'
import type { BootedServer, Person } from '../../testing/boot.ts'
import { DEVICE_PASSWORD } from '../../testing/gateway.ts'

/** Attempts an upgrade that must be refused. @returns the response status */
export async function refusedUpgrade(
  server: BootedServer,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const socket = connect(server, path, headers)
  socket.on('error', () => undefined)
  return new Promise((resolve, reject) => {
    socket.once('unexpected-response', (_, response) => {
      resolve(response.statusCode ?? 0)
      socket.terminate()
    })
    socket.once('open', () => reject(new Error('the upgrade was granted')))
  })
}

/** Opens a WebSocket that is closed when the test finishes. */
export async function openSocket(
  server: BootedServer,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<WebSocket> {
  const socket = connect(server, path, headers)
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')
  return socket
}

function connect(server: BootedServer, path: string, headers: Readonly<Record<string, string>>): WebSocket {
  const url = new URL(path, server.origin.replace('http', 'ws'))
  const isChosen = 'Sec-WebSocket-Protocol' in headers || path !== TERMINAL_PATH
  const protocols = isChosen ? [] : [TERMINAL_SUBPROTOCOL]
  return new WebSocket(url, protocols, {
    headers: { Origin: server.origin, ...headers },
    perMessageDeflate: false,
  })
}

/** A scripted page with a terminal that records everything it receives. */
export interface Page {
  readonly socket: WebSocket
  readonly messages: ServerMessage[]
  /** Output so far; with `takes` each piece is confirmed on arrival. */
  readonly output: () => Buffer
  readonly received: () => number
  /** Bytes of input that the device has consumed. */
  readonly taken: () => number
  say(message: z.input<typeof ClientMessage>): void
  data(offset: number, bytes: Uint8Array | string): void
  take(total: number): void
  /** Resolves with the next message of a type. */
  next<T extends ServerMessage['type']>(type: T): Promise<Extract<ServerMessage, { type: T }>>
}

/** Opens a connected page. @param takes whether it confirms output; `from` is its address in X-Forwarded-For */
export async function openPage(
  server: BootedServer,
  { takes = true, output = Buffer.alloc(0), from }: { takes?: boolean; output?: Buffer; from?: string } = {},
): Promise<Page> {
  const headers = from === undefined ? {} : { 'X-Forwarded-For': from }
  const socket = await openSocket(server, TERMINAL_PATH, headers)
  const messages: ServerMessage[] = []
  const waiting: (() => void)[] = []
  let chunks: Buffer[] = [output]
  let received = output.length
  let taken = 0
  const consumed = new Set<ServerMessage>()
  socket.on('message', (data: Buffer) => {
    const frame = readFrame(data)
    if (!frame) throw new Error('the server has sent something that is no frame')
    if (frame.kind === 'message') messages.push(ServerMessage.parse(JSON.parse(frame.text)))
    if (frame.kind === 'taken') taken = frame.total
    if (frame.kind === 'data') {
      if (frame.offset !== received) throw new Error(`output at ${frame.offset}, expected at ${received}`)
      chunks.push(Buffer.from(frame.bytes))
      received += frame.bytes.length
      if (takes) socket.send(takenFrame(received))
    }
    for (const wake of waiting.splice(0)) wake()
  })
  return {
    socket,
    messages,
    output() {
      chunks = [Buffer.concat(chunks)]
      return chunks[0] ?? output
    },
    received: () => received,
    taken: () => taken,
    say: (message) => socket.send(messageFrame(message)),
    data: (offset, bytes) => socket.send(dataFrame(offset, Buffer.from(bytes))),
    take: (total) => socket.send(takenFrame(total)),
    async next(type) {
      for (;;) {
        const found = messages.find((one) => one.type === type && !consumed.has(one))
        if (found) {
          consumed.add(found)
          return found as never
        }
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
    },
  }
}

export const SIZE = { term: 'xterm-256color', columns: 80, rows: 24 }

/** Opens a page and sends a ticket. */
export async function greetedPage(
  server: BootedServer,
  person: Person,
  device: DeviceUid,
  options: { takes?: boolean; username?: string; from?: string } = {},
): Promise<Page> {
  const { username = 'root' } = options
  const { body } = await person.client.call(operations.terminals.open, { params: { uid: device }, body: { username } })
  const page = await openPage(server, options)
  page.say({ type: 'hello', ticket: body.ticket, ...SIZE })
  return page
}

/** Opens a page and signs in with the right password. @returns with the resumption token */
export async function readyPage(
  server: BootedServer,
  person: Person,
  device: DeviceUid,
  options: { takes?: boolean } = {},
): Promise<{ page: Page; session: string; token: string }> {
  const page = await greetedPage(server, person, device, options)
  const { session } = await page.next('welcome')
  page.say({ type: 'password', password: DEVICE_PASSWORD })
  const { token } = await page.next('ready')
  return { page, session, token }
}

/** Opens a page that resumes the session of another one. */
export async function resumedPage(server: BootedServer, token: string, output: Buffer, from?: string): Promise<Page> {
  const page = await openPage(server, { output, ...(from === undefined ? {} : { from }) })
  page.say({ type: 'resume', token, received: output.length })
  return page
}

// Connections that a bridged device makes: those that people forward, as channels of their inner connection, and those of
// HTTP tunnels, which belong to no login.
import type { Duplex } from 'node:stream'
import type { LinkCause, LinkStream, StreamHandler } from '@bowline/link/api'
import { type ChannelOpen, OPEN_UNKNOWN_TYPE } from '@bowline/ssh/api'
import { ChannelRefused, type ClientChannel, type SshClientConnection } from '@bowline/ssh/client-api'
import { createFlow } from '../../forward/pipe.ts'

const refused = (message: string): LinkCause => ({ by: 'agent', reason: 'connect-failed', message })
const ENDED: LinkCause = { by: 'network', reason: 'disconnected', message: 'The connection has ended.' }

/**
 * @param open what the device is to connect to
 * @param unknown the cause when its SSH server knows no such channels
 * @param ended the stream has ended
 */
export function channelConnection(
  client: SshClientConnection,
  open: ChannelOpen,
  stream: LinkStream,
  unknown: () => LinkCause,
  ended: () => void,
): StreamHandler {
  let channel: ClientChannel | undefined
  let isClosed = false
  const input = createFlow(
    (bytes) => channel?.write(bytes) ?? true,
    (count) => stream.consumed(count),
    () => channel?.queuedBytes ?? 0,
  )
  const output = createFlow(
    (bytes) => stream.write(bytes),
    (count) => channel?.consumed(count),
    () => stream.queuedBytes,
  )
  client
    .openChannel(open, (opened) => {
      channel = opened
      // First, so that it precedes what the other side sends.
      stream.control({ type: 'connected' })
      return {
        data: (bytes) => output.pass(bytes, 0),
        drain: () => input.drained(),
        eof: () => stream.eof(),
        closed: () => stream.close(),
      }
    })
    .then((opened) => {
      if (isClosed) opened.close()
    })
    .catch((error: unknown) => {
      if (!(error instanceof ChannelRefused)) stream.close(ENDED)
      else if (error.code === OPEN_UNKNOWN_TYPE) stream.close(unknown())
      else stream.close(refused(error.description || 'The device refuses the connection.'))
    })
  return {
    data: (bytes) => input.pass(bytes, 0),
    drain: () => output.drained(),
    eof: () => channel?.eof(),
    closed() {
      isClosed = true
      channel?.close()
      ended()
    },
  }
}

/** @param opening the connection; what it rejects with is the reason */
export function socketConnection(opening: Promise<Duplex>, stream: LinkStream): StreamHandler {
  let socket: Duplex | undefined
  let isClosed = false
  /** What waits for the connection; the credit of the stream bounds it. */
  const early: ((opened: Duplex) => void)[] = []
  const pass = (act: (opened: Duplex) => void): void => {
    if (socket) act(socket)
    else early.push(act)
  }
  opening
    .then((opened) => {
      socket = opened
      opened.on('error', () => undefined)
      if (isClosed) return void opened.destroy()
      stream.control({ type: 'connected' })
      for (const act of early.splice(0)) act(opened)
      opened.on('data', (bytes: Buffer) => {
        if (!stream.write(bytes)) opened.pause()
      })
      opened.on('end', () => stream.eof())
      opened.on('close', () => stream.close())
      // Whoever has read its head has left it paused.
      opened.resume()
    })
    .catch((error: unknown) => {
      stream.close(refused(error instanceof Error ? error.message : 'The device refuses the connection.'))
    })
  return {
    data(bytes) {
      const { length } = bytes
      const taken = (): void => stream.consumed(length)
      pass((opened) => (opened.writable ? void opened.write(bytes, taken) : taken()))
    },
    drain: () => socket?.resume(),
    eof: () => pass((opened) => void opened.end()),
    closed() {
      isClosed = true
      early.length = 0
      socket?.destroy()
    },
  }
}

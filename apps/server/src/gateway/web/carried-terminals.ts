// Terminals of browsers whose WebSocket is at one node and whose session is at another: the frames of the WebSocket, each
// behind its length as u32, on a stream of the link between the two.
import * as z from 'zod'
import { LengthFrames, withLength } from '@bowline/base/bytes/length-frames'
import type { LinkCause, LinkStream, StreamHandler } from '@bowline/link/api'
import { JoinTarget } from '../../terminals/tickets.ts'
import type { Conversation } from './conversation.ts'
import type { FrameSocket } from './web-terminal.ts'

/** Header of the stream: where the browser is, the origin of its page, and whom it asks to let it join. */
export const CarriedTerminal = z.object({
  address: z.string().max(64),
  port: z.number().int().min(0).max(65_535),
  origin: z.string().max(512),
  join: JoinTarget.optional(),
})
export type CarriedTerminal = z.infer<typeof CarriedTerminal>

/** Longest frame; WebSockets of terminals have the same limit. */
const MAX_FRAME_BYTES = 1024 * 1024
const LEFT: LinkCause = { by: 'user', reason: 'done', message: '' }
const BROKEN: LinkCause = { by: 'gateway', reason: 'protocol', message: 'A frame of a terminal is too long.' }

/** Frames on a stream, as on a WebSocket. */
export function socketOf(stream: LinkStream): FrameSocket {
  return {
    send(frame) {
      stream.write(withLength(frame))
    },
    close: () => stream.close(LEFT),
    get bufferedBytes() {
      return stream.queuedBytes
    },
  }
}

/** Takes frames out of the bytes of a stream. */
function reader(stream: LinkStream, deliver: (frame: Uint8Array) => void): (bytes: Uint8Array) => void {
  const frames = new LengthFrames(MAX_FRAME_BYTES, deliver)
  return (bytes) => {
    // What one frame may occupy bounds what is kept.
    stream.consumed(bytes.length)
    if (!frames.push(bytes)) stream.close(BROKEN, 'drop')
  }
}

/**
 * The node of the WebSocket: passes its frames on, and what the other node answers back.
 * @param open opens the stream; undefined where there is no link with the other node
 */
export function carryTerminal(
  open: (handler: (stream: LinkStream) => StreamHandler) => LinkStream | undefined,
  webSocket: FrameSocket,
): Pick<Conversation, 'receive' | 'closed'> | undefined {
  const stream = open((opened) => ({
    data: reader(opened, (frame) => webSocket.send(Buffer.from(frame))),
    closed: () => webSocket.close(),
  }))
  if (!stream) return undefined
  const far = socketOf(stream)
  return {
    receive: (frame) => far.send(frame),
    closed(isFinished) {
      stream.control({ finished: isFinished })
      stream.close(LEFT)
    },
  }
}

/** The node of the session: lets the browser speak as if its WebSocket were here. */
export function acceptCarried(stream: LinkStream, converse: (socket: FrameSocket) => Conversation): StreamHandler {
  const conversation = converse(socketOf(stream))
  let isOver = false
  const end = (isFinished: boolean): void => {
    if (isOver) return
    isOver = true
    conversation.closed(isFinished)
  }
  return {
    data: reader(stream, (frame) => conversation.receive(frame)),
    control: (message) => {
      if (typeof message['finished'] === 'boolean') end(message['finished'])
    },
    closed: () => end(false),
  }
}

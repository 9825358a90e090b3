// Sends one data message of a channel (RFC 4254 section 5.2) from the front of its queue.
import type { ChannelLink } from './channel-link.ts'
import { dataHead, writeDataHead } from './data-head.ts'
import type { DataItem, OutputQueue } from './output-queue.ts'

/**
 * @param item the first of the queue
 * @param to the peer's number of the channel, and the most bytes that it takes now
 * @returns bytes of data sent
 */
export function sendData(
  link: ChannelLink,
  queue: OutputQueue,
  item: DataItem,
  { remoteId, maxBytes }: { readonly remoteId: number; readonly maxBytes: number },
): number {
  const { extended } = item
  const packed = queue.takeBlock(item, maxBytes)
  if (packed) {
    const { block, from, to } = packed
    const at = writeDataHead(block, from, remoteId, extended, to - from)
    link.sendInPlace(block, at, to)
    queue.releaseBlock(packed)
    return to - from
  }
  const parts = queue.take(item, maxBytes)
  let bytes = 0
  for (const part of parts) bytes += part.length
  link.send(dataHead(remoteId, extended, bytes), parts)
  return bytes
}

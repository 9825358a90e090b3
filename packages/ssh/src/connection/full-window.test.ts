// Channels whose client has a full window: they report what they have sent, and grant input in advance.
import { expect, test } from 'vitest'
import { type ConnectOptions, connect, settle } from '../../test/support/connect.ts'
import * as n from '../wire/numbers.ts'
import { WireReader } from '../wire/reader.ts'

/** A channel whose client has a window of 1,000 bytes. */
async function session(options: ConnectOptions = {}) {
  const connected = connect(options)
  await connected.client.signIn()
  const id = await connected.client.openSession(5, { window: 1_000 })
  const recorded = connected.channels[0]
  if (!recorded) throw new Error('no channel was opened')
  return { ...connected, id, recorded, channel: recorded.channel }
}

test('calls drain for every 64 KiB that is sent, before everything is', async () => {
  const { client, channel, id, recorded } = await session()
  const adjust = (bytes: number) =>
    client.send(client.channelMessage(n.MSG_CHANNEL_WINDOW_ADJUST, id).uint32(bytes).done())
  expect(channel.write(Buffer.alloc(200_000))).toBe(false)
  adjust(60_000)
  await settle()
  expect([recorded.drains, channel.queuedBytes]).toEqual([0, 139_000])
  adjust(10_000)
  await settle()
  expect([recorded.drains, channel.queuedBytes]).toEqual([1, 129_000])
})

test('grants input beyond its window while output waits for the window of the client, up to 2 MiB', async () => {
  const limits = { windowMaxBytes: 1 << 20 }
  const { client, channel, id, recorded } = await session({ limits })
  recorded.consumes = false
  /** Bytes that are granted next, 0 when nothing precedes the answer to a request. */
  const granted = async () => {
    client.send(client.channelRequest(id, 'env').string('LANG').string('C').done())
    const payload = await client.next(n.MSG_CHANNEL_WINDOW_ADJUST, n.MSG_CHANNEL_SUCCESS)
    if (payload[0] === n.MSG_CHANNEL_SUCCESS) return 0
    await client.read(n.MSG_CHANNEL_SUCCESS)
    return new WireReader(payload, 5).uint32('bytes')
  }
  const send = (bytes: number) => {
    for (let sent = 0; sent < bytes; sent += 32_768) client.sendData(id, Buffer.alloc(32_768))
  }
  send(1 << 20)
  expect(await granted()).toBe(0)
  channel.write(Buffer.alloc(1_001))
  for (let at = 0; at < 16; at += 1) {
    expect(await granted()).toBe(131_072)
    send(131_072)
  }
  expect(await granted()).toBe(0)
  expect(recorded.received.length).toBe((1 << 20) + (2 << 20))
  // Consumed bytes repay the advance before any are granted again.
  channel.consumed((2 << 20) + (1 << 18))
  expect(await granted()).toBe(1 << 18)
})

test('calls drain when the client wants no more output, though its window stays full', async () => {
  const { client, channel, id, recorded } = await session()
  expect(channel.write(Buffer.alloc(2_000))).toBe(false)
  expect(recorded.drains).toBe(0)
  client.send(client.channelRequest(id, 'eow@openssh.com', false).done())
  await settle()
  expect([recorded.drains, channel.queuedBytes]).toEqual([1, 0])
  expect(channel.write(Buffer.alloc(2_000))).toBe(true)
})

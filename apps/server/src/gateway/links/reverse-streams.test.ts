import type { Link } from '@bowline/link/api'
import { RecordedStream, linkPair } from '@bowline/link/testing/pair'
import { describe, expect, it } from 'vitest'
import { createReverseStreams } from './reverse-streams.ts'

/** A device's link, and a second one that belongs to another device. */
function setUp() {
  const reverse = createReverseStreams()
  const connectDevice = () => {
    const pair = linkPair({ gateway: { open: (kind, header, stream) => reverse.open(gateway, kind, header, stream) } })
    const gateway: Link = pair.gateway
    return pair
  }
  return { reverse, device: connectDevice(), other: connectDevice() }
}

const header = (listen: number) => ({ listen, origin: { address: '127.0.0.1', port: 5_000 } })
const REFUSED = { by: 'gateway', reason: 'refused' }

describe('streams opened by a device', () => {
  it('refuses streams of any kind without a listener of the same device', async () => {
    const { reverse, device, other } = setUp()
    const taken: RecordedStream[] = []
    reverse.expect(device.gateway, 8, (_, stream) => RecordedStream.accept(taken)('accept', {}, stream))
    for (const kind of ['auth', 'session', 'dial', 'listen', 'http', 'accept'] as const) {
      expect(await RecordedStream.open(device.agent, kind, header(6)).whenClosed()).toMatchObject(REFUSED)
    }
    expect(await RecordedStream.open(device.agent, 'dial', header(8)).whenClosed()).toMatchObject(REFUSED)
    expect(await RecordedStream.open(device.agent, 'accept', { listen: '8' }).whenClosed()).toMatchObject(REFUSED)
    expect(await RecordedStream.open(other.agent, 'accept', header(8)).whenClosed()).toMatchObject(REFUSED)
    expect(taken).toEqual([])
  })

  it('routes a stream to its listener until the listener ends', async () => {
    const { reverse, device } = setUp()
    const origins: object[] = []
    const end = reverse.expect(device.gateway, 8, (origin, stream) => {
      origins.push(origin)
      return RecordedStream.accept([])('accept', {}, stream)
    })
    const stream = RecordedStream.open(device.agent, 'accept', header(8))
    stream.stream.close()
    await stream.whenClosed()
    end()
    expect(await RecordedStream.open(device.agent, 'accept', header(8)).whenClosed()).toMatchObject(REFUSED)
    expect(origins).toEqual([{ address: '127.0.0.1', port: 5_000 }])
  })
})

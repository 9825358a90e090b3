// How long a terminal waits for its browser.
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { expect, it } from 'vitest'
import { bootServer } from '../../testing/boot.ts'
import { DEVICE_PASSWORD, fakeDevice } from '../../testing/gateway.ts'
import { greetedPage } from './testing.ts'
import { createWebTerminal } from './web-terminal.ts'

it('ends a terminal whose browser has not come back in time', () => {
  const clock = new ManualClock()
  const causes: unknown[] = []
  const ignored = () => undefined
  const socket = { bufferedBytes: 0, send: ignored, close: ignored }
  const terminal = createWebTerminal({
    clock,
    connection: () => ({
      input: ignored,
      drained: ignored,
      leave: ignored,
      disconnect: (cause) => void causes.push(cause),
    }),
    resumeSeconds: 600,
    ended: () => void causes.push('ended'),
  })
  terminal.begin(socket)
  terminal.detach(socket, false)
  clock.advance(599_999)
  expect(causes).toEqual([])
  clock.advance(1)
  expect(causes).toEqual([
    { by: 'peer', reason: 'connection-lost', message: 'The browser was disconnected for too long.' },
    'ended',
  ])
})

it('keeps what is left of an ended session for a minute at most', () => {
  const clock = new ManualClock()
  let isReleased = false
  const ignored = () => undefined
  const terminal = createWebTerminal({
    clock,
    connection: () => ({ input: ignored, drained: ignored, leave: ignored, disconnect: ignored }),
    resumeSeconds: 600,
    ended: () => void (isReleased = true),
  })
  terminal.begin({ bufferedBytes: 0, send: ignored, close: ignored })
  terminal.view.closed({ by: 'peer', reason: 'disconnect', message: '' })
  clock.advance(59_999)
  expect(isReleased).toBe(false)
  clock.advance(1)
  expect(isReleased).toBe(true)
})

it('tells the browser what the server is set to', async () => {
  const server = await bootServer({ settings: { BOWLINE_RESUME_SECONDS: '600' } })
  try {
    const ada = await server.setUpAccount()
    const { device } = await fakeDevice(server, ada)
    const page = await greetedPage(server, ada, device.uid)
    await page.next('welcome')
    page.say({ type: 'password', password: DEVICE_PASSWORD })
    expect(await page.next('ready')).toMatchObject({ seconds: 600 })
  } finally {
    await server.close()
  }
})

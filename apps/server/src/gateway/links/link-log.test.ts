import { ManualClock } from '@bowline/base/testing/manual-clock'
import { DeviceUid } from '@bowline/contract/schemas/common'
import { expect, it } from 'vitest'
import type { Log } from '../../platform/log.ts'
import { LinkLog } from './link-log.ts'

const [one, other] = [DeviceUid.parse('a'.repeat(64)), DeviceUid.parse('b'.repeat(64))]

it('writes some lines of a device that flaps, counts the others, and those of other devices as always', async () => {
  const clock = new ManualClock()
  const lines: { ev: string; device: unknown; unlogged: unknown }[] = []
  const note = (ev: string, { device, unlogged }: Record<string, unknown> = {}) => lines.push({ ev, device, unlogged })
  const log = new LinkLog({ info: note, warn: note } as unknown as Log, clock)
  for (let turn = 0; turn < 500; turn += 1)
    log.write(turn % 2 === 0 ? 'link.up' : 'link.displaced', one, { epoch: turn })
  expect(lines).toHaveLength(20)
  log.write('link.up', other, { epoch: 1 })
  expect(lines.at(-1)).toEqual({ ev: 'link.up', device: other, unlogged: undefined })
  await clock.advanceAsync(30_000)
  log.write('link.displaced', one, { epoch: 500 })
  expect(lines.at(-1)).toEqual({ ev: 'link.displaced', device: one, unlogged: 480 })
  log.write('link.up', one, { epoch: 501 })
  expect(lines).toHaveLength(22)
})

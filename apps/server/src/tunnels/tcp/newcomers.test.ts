import { Duplex } from 'node:stream'
import type { Socket } from 'node:net'
import { LIMITS } from '@bowline/contract/limits'
import { expect, it } from 'vitest'
import { Newcomers } from './newcomers.ts'

const { perSource, total } = LIMITS.tunnels.unidentified
const socket = (): Socket => new Duplex({ read: () => undefined }) as Socket

it('drops the oldest silent connection for a new one, of however many sources they are', () => {
  const newcomers = new Newcomers()
  const silent = Array.from({ length: total }, socket)
  for (const [index, one] of silent.entries()) newcomers.add(one, `198.51.100.${index}`, false)
  expect(newcomers.add(socket(), '192.0.2.1', false)).toBe(true)
  expect(newcomers.count).toBe(total)
  expect([silent[0]?.destroyed, silent[1]?.destroyed]).toEqual([true, false])
})

it('refuses a source at its limit before it drops anybody else', () => {
  const newcomers = new Newcomers()
  const first = socket()
  newcomers.add(first, '192.0.2.1', false)
  for (let count = 0; count < perSource; count += 1) newcomers.add(socket(), '198.51.100.1', false)
  expect(newcomers.add(socket(), '198.51.100.1', false)).toBe(false)
  expect(first.destroyed).toBe(false)
})

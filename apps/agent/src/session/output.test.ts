import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { until } from '@bowline/testkit/until'
import { expect, test } from 'vitest'
import { openTerminal } from '../native/terminal.ts'
import { readTerminal } from './output.ts'

test('passes on in one piece what a terminal has, though each read returns 4 KiB at most', async () => {
  const { master, path } = openTerminal()
  const slave = openSync(path, constants.O_RDWR | constants.O_NOCTTY)
  const text = Array.from({ length: 800 }, (_, at) => String(at).padStart(10, '.')).join('')
  // The kernel keeps 8 KiB; more would wait for a reader.
  writeSync(slave, text)
  const pieces: string[] = []
  const { socket } = readTerminal(master, (bytes, done) => {
    pieces.push(Buffer.from(bytes).toString())
    done?.()
  })
  await until(() => pieces.join('').length === text.length)
  expect(pieces).toEqual([text])
  socket.destroy()
  closeSync(slave)
})

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { stripped } from './strip.ts'

test('strips symbols from Node, which is smaller and still runs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bowline-strip-'))
  const program = readFileSync(process.execPath)
  const smaller = stripped(program)
  expect(smaller.length).toBeLessThan(program.length * 0.9)
  writeFileSync(join(folder, 'node'), smaller, { mode: 0o755 })
  const { stdout } = spawnSync(join(folder, 'node'), ['-p', 'process.version'], { encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  expect(stdout).toBe(`${process.version}\n`)
})

test('rejects a file that is not a program', () => {
  expect(() => stripped(Buffer.alloc(100))).toThrow('not a 64-bit little-endian ELF program')
})

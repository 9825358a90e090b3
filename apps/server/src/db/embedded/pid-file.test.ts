import { assert, property, string } from 'fast-check'
import { expect, it } from 'vitest'
import { isPostgresOf, parsePidFile } from './pid-file.ts'

it('reads process id, port and socket folder from a pid file', () => {
  const text = '4711\n/data/18-data\n1763600000\n5432\n/tmp/bowline-pg-abc\n\n  1234567  65538\nready   \n'
  expect(parsePidFile(text)).toEqual({ pid: 4711, port: 5432, socketDir: '/tmp/bowline-pg-abc' })
})

it('reads the available fields of an incomplete pid file', () => {
  expect(parsePidFile('4711\n/data')).toEqual({ pid: 4711 })
  expect(parsePidFile('')).toEqual({})
})

it('accepts only a positive integer as a process id', () => {
  assert(
    property(string(), (text) => {
      const { pid } = parsePidFile(text)
      expect(pid === undefined || (Number.isSafeInteger(pid) && pid > 0)).toBe(true)
    }),
  )
})

it('recognises no other program in the folder as PostgreSQL', async () => {
  expect(await isPostgresOf(process.cwd(), process.pid)).toBe(false)
})

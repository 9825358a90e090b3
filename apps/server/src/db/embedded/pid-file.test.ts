import { assert, property, string } from 'fast-check'
import { expect, it } from 'vitest'
import { isPostgresOf, parsePidFile } from './pid-file.ts'

it('reads the process id, the port and the folder of the socket', () => {
  const text = '4711\n/data/18-data\n1763600000\n5432\n/tmp/bowline-pg-abc\n\n  1234567  65538\nready   \n'
  expect(parsePidFile(text)).toEqual({ pid: 4711, port: 5432, socketDir: '/tmp/bowline-pg-abc' })
})

it('reads what there is of a file that is being written', () => {
  expect(parsePidFile('4711\n/data')).toEqual({ pid: 4711 })
  expect(parsePidFile('')).toEqual({})
})

it('takes nothing but a positive number for a process id', () => {
  assert(
    property(string(), (text) => {
      const { pid } = parsePidFile(text)
      expect(pid === undefined || (Number.isSafeInteger(pid) && pid > 0)).toBe(true)
    }),
  )
})

it('a process of another program in the folder is not PostgreSQL', async () => {
  expect(await isPostgresOf(process.cwd(), process.pid)).toBe(false)
})

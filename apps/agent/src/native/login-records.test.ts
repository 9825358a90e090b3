import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lastLogin, recordLogin, type RecordFiles } from './login-records.ts'

let folder: string
let files: RecordFiles
const login = { terminal: '/dev/pts/4711', user: 'ann', uid: 1_234, address: '203.0.113.5' }
const run = (tool: string, ...args: string[]): string =>
  execFileSync(tool, args, { encoding: 'utf8', env: { ...process.env, TZ: 'UTC', LC_ALL: 'C' } })

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bowline-records-'))
  const inside = (name: string): string => join(folder, name)
  files = { utmp: inside('utmp'), wtmp: inside('wtmp'), lastlog: inside('lastlog') }
  for (const file of Object.values(files)) writeFileSync(file, '')
})
afterAll(() => rmSync(folder, { recursive: true }))

test('records a login with a terminal and its end for who, last and lastlog', () => {
  expect(lastLogin(login.uid, files)).toBeUndefined()
  const end = recordLogin(login, new Date('2026-05-04T03:02:01Z'), files)
  expect(run('who', files.utmp)).toMatch(/^ann +pts\/4711 +May +4 03:02 \(203\.0\.113\.5\)\n$/)
  expect(run('last', '-i', '-f', files.wtmp)).toMatch(/^ann +pts\/4711 +203\.0\.113\.5 +Mon May +4 03:02/)
  expect(lastLogin(login.uid, files)).toEqual({ at: new Date('2026-05-04T03:02:01Z'), host: '203.0.113.5' })
  end(new Date('2026-05-04T04:03:01Z'))
  expect(run('who', files.utmp)).toBe('')
  expect(run('last', '-f', files.wtmp)).toMatch(/03:02 - 04:03 +\(01:01\)/)
  // One record in utmp, two in wtmp.
  expect(statSync(files.wtmp).size).toBe(2 * statSync(files.utmp).size)
})

test.each([
  ['2001:db8::5', '2001:db8::5'],
  ['::1', '::1'],
])('records an IPv6 address (%s)', (address, shown) => {
  recordLogin({ ...login, address }, new Date(), files)
  expect(run('last', '-i', '-n', '1', '-f', files.wtmp)).toContain(` ${shown} `)
})

test('does not create files that the system does not have', () => {
  const none: RecordFiles = { utmp: join(folder, 'a'), wtmp: join(folder, 'b'), lastlog: join(folder, 'c') }
  recordLogin(login, new Date(), none)(new Date())
  expect(Object.values(none).filter((file) => existsSync(file))).toEqual([])
})

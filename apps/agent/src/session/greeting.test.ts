import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ACCOUNT } from '../testing.ts'
import { greeting, isHushed } from './greeting.ts'

let folder: string
const inside = (name: string): string => join(folder, name)
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bowline-greeting-'))
  writeFileSync(inside('motd'), 'Water the plants.\n\nBye.\n')
})
afterAll(() => rmSync(folder, { recursive: true }))

const at = new Date('2026-05-04T03:02:01Z')
const shown = (...given: Parameters<typeof greeting>): string => Buffer.from(greeting(...given)).toString()

test('shows the last login and the message of the day without PAM', () => {
  const date = execFileSync('date', ['-d', at.toISOString(), '+%a %b %e %H:%M:%S %Y'], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  })
  expect(shown(undefined, { at, host: '203.0.113.5' }, inside('motd'))).toBe(
    `Last login: ${date.trim()} from 203.0.113.5\r\nWater the plants.\r\n\r\nBye.\r\n`,
  )
  expect(shown(undefined, undefined, inside('none'))).toBe('')
})

test('shows the modules’ messages with PAM, and the last login once', () => {
  expect(shown('You have mail.\n', undefined, inside('motd'))).toBe('You have mail.\r\n')
  expect(shown('Hello\n', { at, host: '' }, inside('motd'))).toMatch(/^Hello\r\nLast login: \w{3} \w{3} [\d :]+\r\n$/)
  expect(shown('Last login: yesterday', { at, host: '' })).toBe('Last login: yesterday\r\n')
})

test('shows nothing to a user with .hushlogin', () => {
  const account = { ...ACCOUNT, home: folder }
  expect(isHushed(account)).toBe(false)
  writeFileSync(inside('.hushlogin'), '')
  expect(isHushed(account)).toBe(true)
})

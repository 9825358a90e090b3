import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { formatSettings, parseSettingsFile, readSettings, writeSettings } from './settings-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'bowline-settings-'))
const file = join(folder, 'agent.env')
afterAll(() => rmSync(folder, { recursive: true }))

const HOSTILE = { BOWLINE_PREFERRED_HOSTNAME: `it's "a" $HOME \`id\` \\ #box; x=1`, BOWLINE_TENANT_ID: 'é ü' }

test('round-trips a value', () => {
  expect(parseSettingsFile(formatSettings(HOSTILE))).toEqual(HOSTILE)
})

test('writes values that sh reads unchanged', () => {
  writeSettings(file, HOSTILE)
  const said = execFileSync('sh', ['-c', '. "$0"; printf %s "$BOWLINE_PREFERRED_HOSTNAME|$BOWLINE_TENANT_ID"', file], {
    encoding: 'utf8',
  })
  expect(said).toBe(Object.values(HOSTILE).join('|'))
})

test('writes a private file, and only when a setting changes', () => {
  expect(writeSettings(file, { BOWLINE_TENANT_ID: 'a' })).toBe(true)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(writeSettings(file, { BOWLINE_TENANT_ID: 'a' })).toBe(false)
  expect(readSettings(file)).toEqual({ BOWLINE_TENANT_ID: 'a' })
  expect(readSettings(join(folder, 'none'))).toEqual({})
})

test('rejects a multi-line value, which could inject another setting', () => {
  expect(() => formatSettings({ BOWLINE_TENANT_ID: 'a\nBOWLINE_SERVER_ADDRESS="http://x"' })).toThrow(
    'BOWLINE_TENANT_ID holds a control character.',
  )
})

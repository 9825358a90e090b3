import { ConfigError } from '@bowline/contract/config'
import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

const required = {
  BOWLINE_SERVER_ADDRESS: 'https://bowline.example.com',
  BOWLINE_TENANT_ID: '00000000-0000-4000-8000-000000000000',
}
const hash = { BOWLINE_SINGLE_USER_PASSWORD: '$6$salt$hash' }
const asRoot = { singleUser: false, uid: 0 }
const asUser = { singleUser: false, uid: 1000 }

function problems(env: Record<string, string>, options: { singleUser: boolean; uid: number }): readonly string[] {
  try {
    readConfig(env, options)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

test('serves the users of the system as root', () => {
  const config = readConfig(required, asRoot)
  expect(config).toMatchObject({ singleUserHash: undefined, keyFile: '/etc/bowline/agent.key', pingMs: 20_000 })
  expect(config.server).toMatchObject({
    address: { secure: true, host: 'bowline.example.com', port: 443 },
    pins: undefined,
  })
})

test('serves one user without root, and requires a password hash', () => {
  expect(readConfig({ ...required, ...hash }, asUser)).toMatchObject({ singleUserHash: '$6$salt$hash' })
  expect(problems(required, asUser)).toEqual([expect.stringContaining('BOWLINE_SINGLE_USER_PASSWORD is required')])
})

test('enters single-user mode as root only on request, with a password', () => {
  expect(readConfig({ ...required, ...hash }, { singleUser: true, uid: 0 })).toMatchObject({
    singleUserHash: '$6$salt$hash',
  })
  expect(problems({ ...required, ...hash }, asRoot)).toEqual([expect.stringContaining('is not for root')])
  expect(problems(required, { singleUser: true, uid: 0 })).toEqual([
    expect.stringContaining('is required in single-user'),
  ])
})

test('accepts plain http for this machine only', () => {
  expect(problems({ ...required, BOWLINE_SERVER_ADDRESS: 'http://bowline.example.com' }, asRoot)).toEqual([
    expect.stringMatching(/^BOWLINE_SERVER_ADDRESS must be https/),
  ])
  expect(problems({ ...required, BOWLINE_SERVER_ADDRESS: 'http://127.0.0.1:8080' }, asRoot)).toEqual([])
})

test('resolves a relative key file from the working directory', () => {
  expect(readConfig({ ...required, BOWLINE_PRIVATE_KEY: 'a.key' }, asRoot).keyFile).toBe(`${process.cwd()}/a.key`)
})

test('accepts PAM only for root serving the users of the system', () => {
  const pam = { ...required, BOWLINE_PAM: 'on' }
  expect(readConfig(pam, asRoot).pam).toBe('on')
  expect(readConfig(required, asRoot).pam).toBe('auto')
  expect(readConfig({ ...required, ...hash }, asUser).pam).toBe('off')
  const rule = [expect.stringContaining('BOWLINE_PAM is for root')]
  expect(problems({ ...pam, ...hash }, asUser)).toEqual(rule)
  expect(problems({ ...pam, ...hash }, { singleUser: true, uid: 0 })).toEqual(rule)
  expect(problems({ ...required, BOWLINE_PAM: 'yes' }, asRoot)).toEqual([expect.stringContaining('BOWLINE_PAM')])
})

test('needs no namespace, except for an install key', () => {
  const { BOWLINE_TENANT_ID: _, ...unplaced } = required
  expect(readConfig(unplaced, asRoot).tenantId).toBeUndefined()
  expect(problems({ ...unplaced, BOWLINE_INSTALL_KEY: `ik-${'a'.repeat(26)}` }, asRoot)).toEqual([
    expect.stringContaining('BOWLINE_TENANT_ID is required with BOWLINE_INSTALL_KEY'),
  ])
})

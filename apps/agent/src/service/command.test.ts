import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))

function agent(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' })
  return { status, stdout, stderr }
}

test('names an unknown argument', () => {
  const { status, stderr } = agent('install', '--single-user-password', 'x')
  expect([status, stderr]).toEqual([2, expect.stringContaining("Unknown option '--single-user-password'")])
})

test('refuses to install a checkout', () => {
  expect(agent('install')).toEqual({
    status: 1,
    stdout: '',
    stderr: 'This agent runs from a checkout. To install one, run the command that the console shows.\n',
  })
})

test('reports that nothing is installed', () => {
  expect(agent('status')).toEqual({ status: 4, stdout: 'The agent is not installed as a service.\n', stderr: '' })
  const { status, stdout } = agent('agent', 'status', '--json')
  expect([status, JSON.parse(stdout)]).toMatchObject([4, { installed: null, running: false, online: false }])
})

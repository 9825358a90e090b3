import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const start = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, 'main.ts'), ...args], {
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

describe('arguments of npm start', () => {
  it('prints its usage', () => {
    const { status, stdout, stderr } = start('--help')
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toContain('--json')
  })

  it.each(['--jsn', 'server'])('names the wrong argument %s and shows no stack trace', (argument) => {
    const { status, stdout, stderr } = start(argument)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain(`'${argument}'`)
    expect(stderr).toContain('usage: npm start')
    expect(stderr).not.toMatch(/^\s+at /m)
  })
})

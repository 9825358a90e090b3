import { closeSync, openSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type Log, createLog } from './log.ts'

const folders: string[] = []
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
})

/** Lines that a log wrote. */
async function linesOf(write: (log: Log) => void, level = 'info'): Promise<Record<string, unknown>[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bowline-log-'))
  folders.push(folder)
  const file = join(folder, 'log')
  const fd = openSync(file, 'w')
  write(createLog(level, fd))
  closeSync(fd)
  const text = await readFile(file, 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

describe('log', () => {
  it('writes one JSON object per line for any input', async () => {
    const lines = await linesOf((log) => {
      log.info('ssh.login-failed', { user: 'a\n{"ev":"forged"}\r\u2028\u001b[31m' })
      log.child({ request: 'r1' }).warn('auth.failed', { attempts: 3 })
    })
    expect(lines).toMatchObject([
      { ev: 'ssh.login-failed', user: 'a\n{"ev":"forged"}\r\u2028\u001b[31m' },
      { ev: 'auth.failed', request: 'r1', attempts: 3 },
    ])
    expect(lines).toHaveLength(2)
  })

  it('omits events below its level', async () => {
    const write = (log: Log): void => {
      log.debug('http.request')
      log.error('http.error')
    }
    expect(await linesOf(write, 'warn')).toMatchObject([{ ev: 'http.error' }])
    expect(await linesOf(write, 'silent')).toEqual([])
    expect(await linesOf(write, 'debug')).toHaveLength(2)
  })

  it('redacts secrets at every depth of a log line', async () => {
    const secrets = {
      password: 'CANARY',
      password_hash: 'CANARY',
      token: 'CANARY',
      authorization: 'CANARY',
      cookie: 'CANARY',
      'set-cookie': 'CANARY',
      secret: 'CANARY',
      recovery_code: 'CANARY',
      private_key: 'CANARY',
      'x-api-key': 'CANARY',
    }
    const lines = await linesOf((log) => {
      log.info('http.request', secrets)
      log.info('http.request', { headers: secrets })
      log.info('http.request', { request: { headers: secrets } })
      log.child(secrets).info('http.request', { code: 'CANARY' })
    })
    expect(lines).toHaveLength(4)
    expect(JSON.stringify(lines)).not.toContain('CANARY')
  })

  it('logs message and code of a database error but not its row', async () => {
    const error = Object.assign(new Error('a constraint was violated'), {
      code: '23514',
      detail: 'Failing row contains (ada, $argon2id$CANARY)',
      where: 'CANARY',
    })
    const [line] = await linesOf((log) => log.error('http.error', { err: error }))
    expect(line).toMatchObject({ ev: 'http.error', err: { message: 'a constraint was violated', code: '23514' } })
    expect(JSON.stringify(line)).not.toContain('CANARY')
  })
})

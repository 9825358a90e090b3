// The server as the first process of a container, to which the kernel delivers only signals that have a handler.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cleanups } from '../support/cleanup.ts'
import { root, withoutSettings } from '../support/product.ts'
import { run } from '../support/running.ts'
import { until } from '../support/wait.ts'

const hasNamespaces = spawnSync('unshare', ['--pid', '--fork', 'true']).status === 0
const undo = cleanups()

it.runIf(hasNamespaces || process.env['CI'] === 'true').each(['SIGTERM', 'SIGINT'] as const)(
  'ends by %s while it waits for its database (needs process namespaces)',
  async (signal) => {
    const dataFolder = await mkdtemp(join(tmpdir(), 'bowline-first-'))
    undo(() => rm(dataFolder, { recursive: true, force: true }))
    const silent = createServer().listen(0, '127.0.0.1')
    undo(() => void silent.close())
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const asked = once(silent, 'connection')
    const command = [
      'unshare',
      '--pid',
      '--fork',
      '--kill-child',
      process.execPath,
      'apps/server/src/main.ts',
      'server',
    ]
    const env = {
      ...withoutSettings(process.env),
      BOWLINE_DATA_DIR: dataFolder,
      BOWLINE_DATABASE_URL: `postgres://bowline:x@127.0.0.1:${port}/bowline`,
      BOWLINE_SECRET_KEY: 'ab'.repeat(32),
      BOWLINE_HTTP_PORT: '0',
      BOWLINE_SSH_PORT: '0',
      BOWLINE_LOG_LEVEL: 'info',
    }
    const unshare = run(command, { cwd: root, env })
    undo(async () => void (await unshare.end('SIGKILL')))
    await Promise.race([asked, unshare.ended])
    await until('the log has the start', () => Promise.resolve(unshare.output().includes('"pid":1,')))
    const inner = await readFile(`/proc/${unshare.pid}/task/${unshare.pid}/children`, 'utf8')
    process.kill(Number(inner), signal)
    expect(await unshare.ended).toEqual({ code: 1, signal: null })
  },
)

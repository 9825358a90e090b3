// The install script vouches for the agent's archive: what comes with other bytes is neither unpacked nor run.
import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '@bowline/base/clock'
import { createHttpServer } from '../http/server.ts'
import { silentLog } from '../platform/log.ts'
import { Bundles } from './bundles.ts'
import { serveInstall } from './routes.ts'

const TENANT = '11111111-1111-4111-8111-111111111111'
const arch = process.arch === 'arm64' ? 'arm64' : 'x64'

let folder: string
let archive: string
let server: FastifyInstance
let origin: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-integrity-'))
  const agent = join(folder, 'bowline-agent-1')
  await mkdir(agent)
  // What the script runs of it; the password is hashed for whoever is not root.
  await writeFile(join(agent, 'bowline'), '#!/bin/sh\necho "the agent runs: $*"\n')
  await chmod(join(agent, 'bowline'), 0o755)
  await mkdir(join(folder, 'bundles'))
  archive = join(folder, 'bundles', `bundle-linux-${arch}.tar.gz`)
  execFileSync('tar', ['-czf', archive, '-C', folder, 'bowline-agent-1'])
})
afterEach(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

/** Packs an agent again, with another program. */
async function pack(program: string): Promise<void> {
  await writeFile(join(folder, 'bowline-agent-1', 'bowline'), program)
  execFileSync('tar', ['-czf', archive, '-C', folder, 'bowline-agent-1'])
}

/** @param maker script of a checkout that makes bundles; none in a release */
async function serve(maker = join(folder, 'no-maker')): Promise<void> {
  server = await createHttpServer({
    isKnownHost: () => true,
    clock: systemClock,
    log: silentLog,
    authenticator: { admit: (_, base) => Promise.resolve(base) },
    routes: [],
    trustedProxies: [],
  })
  const bundles = new Bundles({ bundles: join(folder, 'bundles'), maker }, systemClock, silentLog)
  serveInstall(server, { bundles, pin: '' })
  await server.listen({ host: '127.0.0.1', port: 0 })
  origin = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`
}

const fetchText = async (path: string): Promise<string> => (await fetch(`${origin}${path}`)).text()
const fetchScript = (): Promise<string> => fetchText(`/install.sh?tenant_id=${TENANT}`)
const home = (): string => join(folder, 'home')
const sha256 = async (): Promise<string> =>
  createHash('sha256')
    .update(await readFile(archive))
    .digest('hex')

/** Runs the script as `curl … | sh` does, in the foreground. */
async function install(script: string): Promise<{ code: number; said: string }> {
  const env = { PATH: process.env['PATH'], INSTALL_METHOD: 'foreground', BOWLINE_DIR: home() }
  const running = promisify(execFile)('sh', ['-c', script], { env })
  return running.then(
    ({ stdout, stderr }) => ({ code: 0, said: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      said: error.stdout + error.stderr,
    }),
  )
}

async function flipByte(): Promise<void> {
  const bytes = await readFile(archive)
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1)
  await writeFile(archive, bytes)
}

describe('the install script', () => {
  it('installs the archive whose hash it carries', async () => {
    await serve()
    const script = await fetchScript()
    expect(script).toContain(`default_sum_${arch}='${await sha256()}'\n`)
    expect(await install(script)).toMatchObject({ code: 0, said: expect.stringContaining('the agent runs: agent') })
  })

  it('refuses an archive with one other bit, and leaves nothing of it', async () => {
    await serve()
    const script = await fetchScript()
    await flipByte()
    const { code, said } = await install(script)
    expect([code, said]).toEqual([1, expect.stringContaining('is not the one that this script was made for')])
    expect(said).not.toContain('the agent runs')
    expect(await readdir(home())).toEqual([])
  })

  it('names the package of a library that the machine lacks, and installs nothing', async () => {
    // What the loader prints on a minimal Debian.
    const problem = 'error while loading shared libraries: libatomic.so.1: cannot open shared object file'
    await pack(`#!/bin/sh\necho "bowline: ${problem}" >&2\nexit 127\n`)
    await serve()
    const { code, said } = await install(await fetchScript())
    expect(code).toBe(1)
    expect(said).toContain(problem)
    expect(said).toContain('apt-get install libatomic1')
    expect(await readdir(home())).toEqual([])
  })

  it('asks for the hash in a checkout, where the archive is built when the first device asks', async () => {
    const maker = join(folder, 'maker.mjs')
    await writeFile(maker, '')
    await serve(maker)
    const script = await fetchScript()
    expect(script).toContain(`default_sum_${arch}=''\n`)
    expect((await install(script)).code).toBe(0)
    expect(await fetchScript()).toContain(`default_sum_${arch}='${await sha256()}'\n`)
  })
})

describe('the hashes of the archives', () => {
  it('are published as sha256sum writes them, and follow a changed file', async () => {
    await serve()
    const line = async (): Promise<string> => `${await sha256()}  bundle-linux-${arch}.tar.gz\n`
    expect(await fetchText('/agent/SHA256SUMS')).toBe(await line())
    expect(await fetchText(`/agent/bundle-linux-${arch}.tar.gz.sha256`)).toBe(await line())
    await flipByte()
    expect(await fetchText('/agent/SHA256SUMS')).toBe(await line())
  })
})

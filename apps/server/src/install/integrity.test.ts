// The install script carries the hash of the agent's archive: any other archive is neither unpacked nor run.
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
import { Manifests } from './manifest.ts'
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
  // The program that the script runs; it hashes the password for users other than root.
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
  serveInstall(server, { bundles, manifests: new Manifests(join(folder, 'bundles'), bundles), pin: '' })
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
async function install(script: string): Promise<{ code: number; output: string }> {
  const env = { PATH: process.env['PATH'], INSTALL_METHOD: 'foreground', BOWLINE_DIR: home() }
  const running = promisify(execFile)('sh', ['-c', script], { env })
  return running.then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      output: error.stdout + error.stderr,
    }),
  )
}

async function flipByte(): Promise<void> {
  const bytes = await readFile(archive)
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1)
  await writeFile(archive, bytes)
}

describe('install script', () => {
  it('installs the archive that matches the script’s hash', async () => {
    await serve()
    const script = await fetchScript()
    expect(script).toContain(`default_sum_${arch}='${await sha256()}'\n`)
    expect(await install(script)).toMatchObject({ code: 0, output: expect.stringContaining('the agent runs: agent') })
  })

  it('rejects an archive with a flipped bit and leaves no files', async () => {
    await serve()
    const script = await fetchScript()
    await flipByte()
    const { code, output } = await install(script)
    expect([code, output]).toEqual([1, expect.stringContaining('is not the one that this script was made for')])
    expect(output).not.toContain('the agent runs')
    expect(await readdir(home())).toEqual([])
  })

  it('names the package of a missing library and installs nothing', async () => {
    // The loader's message on a minimal Debian.
    const problem = 'error while loading shared libraries: libatomic.so.1: cannot open shared object file'
    await pack(`#!/bin/sh\necho "bowline: ${problem}" >&2\nexit 127\n`)
    await serve()
    const { code, output } = await install(await fetchScript())
    expect(code).toBe(1)
    expect(output).toContain(problem)
    expect(output).toContain('apt-get install libatomic1')
    expect(await readdir(home())).toEqual([])
  })

  it('fetches the hash from the server in a checkout, which builds the archive on request', async () => {
    const maker = join(folder, 'maker.mjs')
    await writeFile(maker, '')
    await serve(maker)
    const script = await fetchScript()
    expect(script).toContain(`default_sum_${arch}=''\n`)
    expect((await install(script)).code).toBe(0)
    expect(await fetchScript()).toContain(`default_sum_${arch}='${await sha256()}'\n`)
  })
})

describe('archive hashes', () => {
  it('publishes current archive hashes in the format of sha256sum', async () => {
    await serve()
    const line = async (): Promise<string> => `${await sha256()}  bundle-linux-${arch}.tar.gz\n`
    expect(await fetchText('/agent/SHA256SUMS')).toBe(await line())
    expect(await fetchText(`/agent/bundle-linux-${arch}.tar.gz.sha256`)).toBe(await line())
    await flipByte()
    expect(await fetchText('/agent/SHA256SUMS')).toBe(await line())
  })
})

// The apt repository that a server offers, asked by the real apt-get with lists and a configuration of its own, so that
// those of this machine stay as they are. package.test.ts installs from one.
import { spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { DEBIAN_NAMES } from '../../scripts/debian/control.ts'
import { makeRepository, REPOSITORY, repositoryProblem } from '../../scripts/debian/repository.ts'
import { createKeyring, emptyPackage, type Keyring } from '../../scripts/debian/testing.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { type Server, startServer } from '../support/server.ts'

const [OWN, STRANGER] = ['release@example.com', 'stranger@example.com']
const problem = repositoryProblem() ?? (spawnSync('apt-get', ['--version']).error && 'needs apt-get')
const architecture = DEBIAN_NAMES[process.arch === 'arm64' ? 'arm64' : 'x64']
const work = mkdtempSync(join(tmpdir(), 'bowline-e2e-apt-'))
const agents = join(work, 'agents')
const SUITE = 'dists/stable'
const INDEX = `${SUITE}/main/binary-${architecture}/Packages`
let keys: Keyring
let server: Server
let releases = 0
let files: { readonly first: string; readonly second: string }
showOnFailure(() => ({ server: server?.process }))

/** Makes the repository of a release that is an hour later than the one before: apt asks for what is newer by seconds. */
function offer(file: string, key = OWN): void {
  makeRepository({ packages: [file], folder: join(agents, REPOSITORY), keys: [key] })
  releases += 1
  const time = 1_700_000_000 + releases * 3_600
  for (const name of readdirSync(offered(SUITE), { recursive: true, encoding: 'utf8' })) {
    utimesSync(offered(join(SUITE, name)), time, time)
  }
}
const offered = (path: string): string => join(agents, REPOSITORY, path)

beforeAll(async () => {
  if (problem !== undefined) return
  mkdirSync(agents)
  keys = createKeyring(OWN, STRANGER)
  const packaged = (version: string): string => emptyPackage(work, version, architecture)
  files = { first: packaged('0.1.0'), second: packaged('0.2.0') }
  server = await startServer({ env: { BOWLINE_AGENTS_DIR: agents } })
})
beforeEach(() => {
  if (problem !== undefined) return
  vi.stubEnv('GNUPGHOME', keys.home)
  offer(files.first)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await server?.remove()
  keys?.remove()
  rmSync(work, { recursive: true })
})

/** A device's apt that knows the server and the key of its releases. */
function createApt() {
  const tree = mkdtempSync(join(work, 'device-'))
  for (const path of [
    'var/lib/apt/lists/partial',
    'var/cache/apt/archives/partial',
    'var/lib/dpkg',
    'etc/apt/apt.conf.d',
  ]) {
    mkdirSync(join(tree, path), { recursive: true })
  }
  const key = join(tree, 'etc/apt/bowline.asc')
  copyFileSync(offered('bowline.asc'), key)
  writeFileSync(join(tree, 'etc/apt/sources.list'), `deb [signed-by=${key}] ${server.origin}/apt stable main\n`)
  writeFileSync(join(tree, 'var/lib/dpkg/status'), '')
  const settings = {
    Dir: tree,
    'Dir::State::status': join(tree, 'var/lib/dpkg/status'),
    'APT::Architecture': architecture,
    // The folder is nobody else's.
    'APT::Sandbox::User': 'root',
    'Acquire::http::Proxy': 'DIRECT',
  }
  const text = Object.entries(settings).map(([name, value]) => `${name} "${value}";\n`)
  writeFileSync(join(tree, 'apt.conf'), text.join(''))
  const run = (command: string, ...words: readonly string[]): SpawnSyncReturns<string> =>
    spawnSync(command, words, {
      cwd: tree,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], LC_ALL: 'C', APT_CONFIG: join(tree, 'apt.conf') },
    })
  return {
    update: () => run('apt-get', 'update'),
    download: () => run('apt-get', 'download', 'bowline-agent'),
    candidate: () => /Candidate: (.*)/.exec(run('apt-cache', 'policy', 'bowline-agent').stdout)?.[1],
    downloaded: () => readdirSync(tree).filter((name) => name.endsWith('.deb')),
    read: (name: string) => readFileSync(join(tree, name)),
  }
}

/** Changes one bit in the middle of a file until the test is over. */
function spoil(path: string): void {
  const file = offered(path)
  const at = Math.floor(statSync(file).size / 2)
  const flip = (): void => {
    const opened = openSync(file, 'r+')
    const byte = Buffer.alloc(1)
    readSync(opened, byte, 0, 1, at)
    writeSync(opened, Buffer.of(byte.readUInt8() ^ 1), 0, 1, at)
    closeSync(opened)
  }
  flip()
  onTestFinished(flip)
}

describe.skipIf(problem !== undefined)(`apt and a server’s repository (${problem ?? 'asked here'})`, () => {
  it('verifies the index and fetches the package that it names, and those of later releases', () => {
    const apt = createApt()
    const { status, stderr } = apt.update()
    expect([status, stderr]).toEqual([0, ''])
    expect(apt.candidate()).toBe('0.1.0')
    expect(apt.download().status).toBe(0)
    const sum = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
    expect(apt.downloaded()).toEqual([basename(files.first)])
    expect(sum(apt.read(basename(files.first)))).toBe(sum(readFileSync(files.first)))
    offer(files.second)
    expect(apt.update().status).toBe(0)
    expect(apt.candidate()).toBe('0.2.0')
  })

  it.each([
    ['an index that was changed', () => [INDEX, `${INDEX}.gz`].forEach(spoil), /Hash Sum mismatch/],
    ['a list of indexes that was changed', () => spoil(`${SUITE}/InRelease`), /BADSIG/],
    ['a release that somebody else has signed', () => offer(files.second, STRANGER), /NO_PUBKEY/],
    ['a release without a signature', unsign, /is not signed/],
  ])('refuses %s', (_name, change, error) => {
    const apt = createApt()
    change()
    const { status, stderr } = apt.update()
    expect(stderr).toMatch(error)
    expect([status, apt.candidate()]).toEqual([100, undefined])
    expect(apt.download().status).toBe(100)
    expect(apt.downloaded()).toEqual([])
  })

  it('refuses a package that was changed', () => {
    const apt = createApt()
    expect(apt.update().status).toBe(0)
    spoil(`pool/main/${basename(files.first)}`)
    const { status, stderr } = apt.download()
    expect(stderr).toMatch(/Hash Sum mismatch/)
    expect([status, apt.downloaded()]).toEqual([100, []])
  })

  it('keeps what it knows while the repository is refused', () => {
    const apt = createApt()
    expect(apt.update().status).toBe(0)
    offer(files.second, STRANGER)
    expect(apt.update().stderr).toMatch(/NO_PUBKEY/)
    expect(apt.candidate()).toBe('0.1.0')
  })
})

function unsign(): void {
  for (const name of ['InRelease', 'Release.gpg']) {
    const file = offered(`${SUITE}/${name}`)
    renameSync(file, `${file}.away`)
  }
}

// The agent's Debian package, read with Debian's own tools; e2e/service/package.test.ts installs one.
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Architecture, ARCHITECTURES } from '../agent-bundle/bundle.ts'
import { packageFolder } from '../agent-bundle/packages.ts'
import { debianVersion, LIBRARIES } from './control.ts'
import { canMakePackages, makePackage } from './package.ts'

const root = resolve(import.meta.dirname, '../..')
const arch = process.arch === 'arm64' ? 'arm64' : 'x64'
const PROGRAM = 'bowline-agent-1.2.3-12345678'
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bowline-package-'))
  mkdirSync(join(folder, PROGRAM))
  for (const name of ['bowline', 'koffi.node']) writeFileSync(join(folder, PROGRAM, name), name)
  for (const name of ['bowline', 'koffi.node']) chmodSync(join(folder, PROGRAM, name), 0o755)
  execFileSync('tar', ['-czf', 'bundle.tar.gz', PROGRAM], { cwd: folder })
})
afterAll(() => rmSync(folder, { recursive: true }))

function made(target: string): string {
  return makePackage({
    root,
    arch,
    bundle: join(folder, 'bundle.tar.gz'),
    version: '1.2.3-rc.1',
    release: 7,
    maintainer: 'Olga Operator <olga@example.com>',
    homepage: 'https://bowline.example/',
    epoch: 1_700_000_000,
    target: join(folder, target),
    compression: 1,
  })
}
const tool = (command: string, ...args: readonly string[]): string =>
  execFileSync(command, args, { encoding: 'utf8', env: { ...process.env, TZ: 'UTC', LC_ALL: 'C' } })

describe.skipIf(!canMakePackages())('a package of the agent (needs dpkg-deb)', () => {
  it('has the fields that dpkg and apt decide by', () => {
    const file = made('fields')
    const field = (name: string): string => tool('dpkg-deb', '--field', file, name).trim()
    expect(['Package', 'Version', 'Architecture', 'Section', 'Maintainer', 'Homepage'].map(field)).toEqual([
      'bowline-agent',
      '1.2.3~rc.1',
      arch === 'x64' ? 'amd64' : 'arm64',
      'net',
      'Olga Operator <olga@example.com>',
      'https://bowline.example/',
    ])
    expect(Number(field('Installed-Size'))).toBeGreaterThan(100)
  })

  it('has the program, its marker and the unit, all of root', () => {
    const lines = tool('dpkg-deb', '--contents', made('contents')).trim().split('\n')
    const files = lines
      .map((line) => line.replace(/ +\d+ 2023-11-14 22:13 \./, ' '))
      .filter((line) => !line.endsWith('/'))
    expect(files).toEqual(
      expect.arrayContaining([
        '-rwxr-xr-x root/root /usr/lib/bowline/package/bowline',
        '-rw-r--r-- root/root /usr/lib/bowline/package/koffi.node',
        '-rw-r--r-- root/root /usr/lib/bowline/package/managed-by.json',
        '-rwxr-xr-x root/root /usr/lib/bowline/launch',
        '-rw-r--r-- root/root /lib/systemd/system/bowline-agent.service',
        'lrwxrwxrwx root/root /usr/bin/bowline -> ../lib/bowline/package/bowline',
      ]),
    )
    expect(lines.filter((line) => !line.includes(' root/root ') || !line.includes(' 2023-11-14 22:13 '))).toEqual([])
    tool('dpkg-deb', '--extract', made('contents'), join(folder, 'extracted'))
    const extracted = (path: string): string => readFileSync(join(folder, 'extracted', path), 'utf8')
    expect(JSON.parse(extracted('usr/lib/bowline/package/managed-by.json'))).toEqual({
      manager: 'apt',
      package: 'bowline-agent',
      program: PROGRAM,
      release: 7,
    })
    expect(extracted('lib/systemd/system/bowline-agent.service')).toContain('\nExecStart=/usr/lib/bowline/launch\n')
    for (const name of ['Node.js', 'koffi', 'zod']) {
      expect(extracted('usr/share/doc/bowline-agent/copyright')).toContain(`\n${name}\n---`)
    }
  })

  it('is the same bytes when it is made again', () => {
    expect(readFileSync(made('again')).equals(readFileSync(made('and-again')))).toBe(true)
  })

  it('orders pre-releases as Debian does', () => {
    const versions = ['1.0.0-alpha.1', '1.0.0-rc.1', '1.0.0-rc.2-fix', '1.0.0', '1.0.1'].map(debianVersion)
    const precedes = (one: string, other: string): boolean =>
      spawnSync('dpkg', ['--compare-versions', one, 'lt', other]).status === 0
    expect(versions.slice(1).filter((later, at) => !precedes(versions[at] ?? '', later))).toEqual([])
  })
})

/** Of the executable and its native module. @returns undefined where they are neither installed nor can be fetched */
function programsOf(one: Architecture): readonly string[] | undefined {
  try {
    return [
      join(packageFolder(root, `node-linux-${one}`), 'bin/node'),
      join(packageFolder(root, `@koromix/koffi-linux-${one}`), `linux_${one}/koffi.node`),
    ]
  } catch {
    return undefined
  }
}
const byNumber = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true })

describe.skipIf(spawnSync('readelf', ['--version']).status !== 0)('libraries of the executable (needs readelf)', () => {
  it.for(ARCHITECTURES)('are those that the package depends on, in versions that it names, on %s', (one, { skip }) => {
    const programs = programsOf(one) ?? skip('npm cannot fetch the packages of this architecture')
    const needed = programs.flatMap((file) => [
      ...tool('readelf', '--dynamic', file).matchAll(/Shared library: \[(.*)\]/g),
    ])
    // Parts of libc6.
    const ofLibc = /^(libdl|libm|libpthread|librt)\.so|^ld-linux/
    const names = new Set(needed.map(([, name = '']) => name).filter((name) => !ofLibc.test(name)))
    expect([...names].sort()).toEqual(Object.keys(LIBRARIES).sort())
    const versions = programs.map((file) => tool('readelf', '--wide', '--version-info', file)).join('')
    const newest = new Map<string, string>()
    for (const [, symbols = '', version = ''] of versions.matchAll(/Name: ([A-Z]+)_([\d.]+)/g)) {
      if (byNumber(version, newest.get(symbols) ?? '0') > 0) newest.set(symbols, version)
    }
    const known = Object.assign({}, ...Object.values(LIBRARIES).map(({ symbols }) => symbols)) as Record<string, string>
    expect([...newest.keys()].sort()).toEqual(Object.keys(known).sort())
    expect([...newest].filter(([symbols, version]) => byNumber(version, known[symbols] ?? '0') > 0)).toEqual([])
  })

  it('are in the systems that the documentation names, and too old in those that it rules out', () => {
    const page = readFileSync(join(root, 'apps/docs/content/overview/supported-platforms/index.md'), 'utf8')
    const rows = [...page.matchAll(/^\| (.+?) \| (\d\.\d+) \| (\d+) \| (yes|no) \|$/gm)]
    expect(rows.length).toBeGreaterThan(5)
    const { 'libc.so.6': libc, 'libstdc++.so.6': cxx } = LIBRARIES
    const judged = rows.map(([, system, glibc = '', gcc = '']) => {
      const isEnough = byNumber(glibc, libc?.since ?? '') >= 0 && byNumber(gcc, cxx?.since ?? '') >= 0
      return [system, isEnough ? 'yes' : 'no']
    })
    expect(judged).toEqual(rows.map(([, system, , , stated]) => [system, stated]))
  })
})

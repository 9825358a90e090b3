// Files of deploy/: the documentation shows them letter for letter, they name only settings that exist, and systemd takes
// the unit.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SETTINGS, parseSettings } from '@bowline/contract/config'
import { expect, it, onTestFinished } from 'vitest'
import { root } from '../support/product.ts'

const CONTENT = join(root, 'apps/docs/content')
/** Its variable for the container of PostgreSQL. */
const OF_OTHERS = ['BOWLINE_PASSWORD']
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

/** Fences that show a file: its path and the text of the fence. */
function shownFiles(): [string, string][] {
  return readdirSync(CONTENT, { recursive: true, encoding: 'utf8' })
    .filter((name) => /[.]mdx?$/.test(name))
    .flatMap((name) => [
      ...readFileSync(join(CONTENT, name), 'utf8').matchAll(/^```[^\n]* file="([^"]+)"\n([\s\S]*?)^```$/gm),
    ])
    .map(([, file = '', text = '']) => [file, text])
}

it('shows each file letter for letter', () => {
  const shown = shownFiles()
  expect(shown.filter(([file, text]) => read(file) !== text).map(([file]) => file)).toEqual([])
  const names = shown.map(([file]) => file)
  const balancers = readdirSync(join(root, 'deploy/balancers')).map((name) => `deploy/balancers/${name}`)
  expect(names).toEqual(expect.arrayContaining(balancers))
  expect(names).toEqual(expect.arrayContaining(['deploy/systemd/bowline.service', 'deploy/compose/compose.yaml']))
})

it('names only settings that exist', () => {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'deploy'], {
    cwd: root,
    encoding: 'utf8',
  })
  const names = files
    .split('\n')
    .filter((file) => file !== '')
    .flatMap((file) => read(file).match(/\bBOWLINE_[A-Z0-9_]+/g) ?? [])
  expect(names.length).toBeGreaterThan(30)
  expect(names.filter((name) => !(name in SETTINGS) && !OF_OTHERS.includes(name))).toEqual([])
})

it.each(['compose.yaml', 'nodes.yaml'])('gives containers valid settings and the time to drain: %s', (name) => {
  const text = read(`deploy/compose/${name}`)
  const lines = [...text.matchAll(/^ +(BOWLINE_\w+): (.*)$/gm)].filter(([, key = '']) => !OF_OTHERS.includes(key))
  const given = Object.fromEntries(
    lines.map(([, key, value = '']) => [key, value.replace(/^\$\{\w+\}$/, '0'.repeat(64))]),
  )
  const settings = parseSettings('server', given)
  const [, grace = ''] = /stop_grace_period: (\d+)s/.exec(text) ?? []
  expect(Number(grace)).toBeGreaterThanOrEqual(settings.BOWLINE_DRAIN_SECONDS + 25)
})

it.skipIf(spawnSync('systemd-analyze', ['--version']).status !== 0)(
  'is a unit that systemd takes without a word, for a server that drains for half a minute',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'bowline-unit-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const unit = read('deploy/systemd/bowline.service')
    // The program is elsewhere on the machine of a test.
    writeFileSync(join(folder, 'bowline.service'), unit.replace('/opt/bowline/bin/bowline', '/bin/true'))
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', join(folder, 'bowline.service')], {
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([0, ''])
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThanOrEqual(30 + 25)
  },
)

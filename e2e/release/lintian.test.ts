// The agent's package, of the real executable, in the eyes of Debian's own checker.
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ARCHITECTURES } from '../../scripts/agent-bundle/bundle.ts'
import { buildStale } from '../../scripts/build.ts'
import { makePackage } from '../../scripts/debian/package.ts'
import { cleanups } from '../support/cleanup.ts'
import { root } from '../support/product.ts'

const MINUTE_MS = 60_000
const undo = cleanups()

it.skipIf(spawnSync('lintian', ['--version']).status !== 0).for(ARCHITECTURES)(
  'has no errors and no warnings on %s (needs lintian)',
  { timeout: 10 * MINUTE_MS },
  async (arch, { skip }) => {
    await buildStale([`agent-${arch}`]).catch(() => skip('npm cannot fetch the packages of this architecture'))
    const target = await mkdtemp(join(tmpdir(), 'bowline-e2e-lintian-'))
    undo(() => rm(target, { recursive: true, force: true }))
    const file = makePackage({
      root,
      arch,
      bundle: join(root, `apps/agent/dist/bundle-linux-${arch}.tar.gz`),
      version: '0.1.0',
      release: 1,
      maintainer: 'Olga Operator <olga@example.com>',
      homepage: 'https://bowline.example/',
      epoch: 1_700_000_000,
      target,
      compression: 1,
    })
    const { status, stdout } = spawnSync('lintian', ['--allow-root', '--fail-on', 'error,warning', file], {
      encoding: 'utf8',
    })
    expect([status, stdout]).toEqual([0, ''])
  },
)

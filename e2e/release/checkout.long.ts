// A release made from a fresh clone, signed and verified with the commands of the page Deploying. By command, because it
// builds everything twice: `npm test -- --project long e2e/release/checkout`.
import { execFileSync } from 'node:child_process'
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { canMakePackages } from '../../scripts/debian/package.ts'
import { cleanups } from '../support/cleanup.ts'
import { root } from '../support/product.ts'
import { stepsOf } from './page.ts'

const MINUTE_MS = 60_000
const undo = cleanups()

it(
  'makes, signs and verifies a release by the commands of the page',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bowline-e2e-checkout-'))
    undo(() => rm(folder, { recursive: true, force: true }))
    execFileSync('git', ['clone', '--quiet', root, folder], { stdio: 'ignore' })
    const PATH = (process.env['PATH'] ?? '').split(':').filter((one) => !one.includes('node_modules'))
    const take = (script: string, cwd: string): string =>
      execFileSync('bash', ['-euo', 'pipefail', '-c', script], {
        cwd,
        env: { ...process.env, PATH: PATH.join(':') },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      })
    const steps = await stepsOf('self-hosted/deploying.md', 'checkout')
    const [make = '', sign = '', verify = ''] = steps.map((step) => ('script' in step ? step.script : ''))
    expect(steps.filter((step) => 'script' in step)).toHaveLength(3)
    const release = join(folder, 'release')
    take(make, folder)
    expect((await readdir(release)).filter((name) => name.endsWith('.tar.gz'))).toHaveLength(2)
    take(sign, folder)
    await copyFile(join(folder, 'release.pub'), join(release, 'release.pub'))
    const output = take(verify, release)
    expect(output).toContain('Signature Verified Successfully')
    expect(output.match(/: OK$/gm)).toHaveLength(canMakePackages() ? 4 : 2)
  },
  120 * MINUTE_MS,
)

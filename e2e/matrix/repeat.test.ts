// Concurrency: a sample of board rows, many times, mixed. `npm run matrix -- --times` runs them by the hundred. The
// test name contains the seed, which reproduces a failure.
import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canMakeDevices } from '../support/device.ts'
import { missingPrograms } from './board.ts'
import { repeat, shuffled } from './repeat.ts'
import { rows } from './rows.ts'
import { type Sites, startSites } from './sites.ts'

const AT_ONCE = 5
const TIMES = 5
const DRAWN = 6
const ALWAYS = [
  'OpenSSH 9.2: a command, with its own exit code and both outputs',
  'OpenSSH 9.2: a local forward (-L)',
  'OpenSSH 9.2: a remote forward (-R)',
  'OpenSSH 9.2: sftp, a batch of everything',
]
/** Each takes seconds of CPU time. */
const EXPENSIVE = ['Ansible', 'tmux', 'X11', 'an editor’s server (VS Code’s way)']

const seed = Number(process.env['MATRIX_SEED'] ?? randomInt(2 ** 31))

describe.skipIf(!canMakeDevices)('many at once (needs root, for accounts of its own)', () => {
  let sites: Sites
  beforeAll(async () => {
    sites = await startSites(AT_ONCE)
  })
  afterAll(() => sites[Symbol.asyncDispose]())

  it(
    `runs concurrent rows as well through Bowline as with a plain sshd (MATRIX_SEED=${seed})`,
    { timeout: 300_000 },
    async () => {
      const isAlways = ({ client, feature }: (typeof rows)[number]) => ALWAYS.includes(`${client}: ${feature}`)
      const others = rows.filter(
        (row) => !isAlways(row) && !EXPENSIVE.includes(row.client) && missingPrograms(row).length === 0,
      )
      const chosen = [...rows.filter(isAlways), ...shuffled(others, seed).slice(0, DRAWN)]
      expect(chosen).toHaveLength(ALWAYS.length + DRAWN)
      const counts = await repeat(chosen, sites, { times: TIMES, atOnce: AT_ONCE, seed })
      const worse = counts.filter(({ sshd, bowline }) => sshd.ok === 0 || bowline.ok < sshd.ok)
      expect(worse).toEqual([])
    },
  )
})

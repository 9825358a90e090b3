// Common clients transfer the same files to the same machine, once through Bowline and once through its sshd: output
// and results must not differ.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  client,
  installed,
  type Place,
  program,
  PYTHON,
  puttyOptions,
  type ProgramResult,
  sshOptions,
} from '../support/file-clients.ts'
import { type Product, startProduct } from '../support/product.ts'
import { type Sshd, startSshd } from '../support/sshd.ts'
import { lookOf, makeTree } from './tree.ts'

let product: Product
let sshd: Sshd
let bowline: Place
const folder = mkdtempSync(join(tmpdir(), 'bowline-e2e-files-'))

beforeAll(async () => {
  if (!installed.sshd) return
  product = await startProduct()
  sshd = await startSshd()
  bowline = {
    ...product.ssh,
    login: `${userInfo().username}@${product.sshid}`,
    password: product.device_password,
  }
})
afterAll(async () => {
  await sshd?.stop()
  await product?.stop()
  rmSync(folder, { recursive: true })
})

beforeEach((context) => {
  context.skip(!installed.sshd && process.env['CI'] !== 'true', 'needs the package openssh-server, to compare with')
})

interface Outcome {
  readonly results: ProgramResult[]
  /** Folder on the device, and the folder for what is copied back. */
  readonly device: string[]
  readonly back: string[]
}
interface Work {
  readonly place: Place
  /** To send, already filled. */
  readonly local: string
  /** On the device, empty. */
  readonly remote: string
  /** For downloads, empty. */
  readonly back: string
}

/** Does the same work through both, one after the other, in folders of the same names. */
async function compare(work: (given: Work) => Promise<ProgramResult[]>): Promise<{ ours: Outcome; theirs: Outcome }> {
  const base = mkdtempSync(join(folder, 'work-'))
  const seed = Buffer.from(base)
  const outcome = async (place: Place): Promise<Outcome> => {
    const [local, remote, back] = ['local', 'remote', 'back'].map((name) => join(base, name))
    if (!local || !remote || !back) throw new Error('three names')
    for (const path of [local, remote, back]) {
      rmSync(path, { recursive: true, force: true })
      mkdirSync(path)
    }
    makeTree(local, seed)
    const results = (await work({ place, local, remote, back })).map((result) => withoutFreshTimes(result))
    return { results, device: lookOf(remote), back: lookOf(back) }
  }
  return { theirs: await outcome(sshd), ours: await outcome(bowline) }
}

/** Listings show the time of day for what is new: both are not made in the same minute. Old files are listed with a year. */
function withoutFreshTimes(result: ProgramResult): ProgramResult {
  return { ...result, stdout: result.stdout.replaceAll(/\b[A-Z][a-z]{2} [ \d]\d \d\d:\d\d\b/g, '<now>') }
}

const codes = ({ results }: Outcome): (number | null)[] => results.map(({ code }) => code)

const address = (place: Place): string => `${place.login}@${place.host}`
const NO_SERVER = /No such file|not found/

describe('sftp', () => {
  const batch = ({ local, remote, back }: Work): string => `
    -cd ${remote}/nothing
    cd ${remote}
    lcd ${local}
    pwd
    mkdir up
    -mkdir up
    put -p -R * up
    put small ungiven
    -put -a small ungiven
    reput large ungiven
    ls -la up/sub
    ls -l up/script up/link
    -ls nothing
    chmod 600 up/script
    -chmod 600 nothing
    rename up/small up/renamed
    -rename nothing other
    symlink renamed up/soft
    ln up/renamed up/hard
    -ln up/renamed up/hard
    copy up/large up/copied
    ls -l up/soft up/hard up/copied
    rm up/empty
    -rm up
    -rm nothing
    -rmdir up
    mkdir gone
    rmdir gone
    lcd ${back}
    get -p -R up
    get up/large part
    -reget up/large part
    -get nothing
    -get /root/nothing
    ls -ln ${remote}/up/sub/deep
  `
  it('runs an sftp batch', async () => {
    const outcome = await compare(async (work) => {
      const { place } = work
      return [await client(place, ['sftp', ...sshOptions(place, 'P'), '-b', '-', address(place)], batch(work))]
    })
    expect(outcome.ours).toEqual(outcome.theirs)
    expect(codes(outcome.ours)).toEqual([0])
  })

  it('transfers one large file and many requests at once with sftp', async () => {
    const outcome = await compare(async ({ place, local, remote, back }) => {
      const input = `put ${local}/large ${remote}/a\nget ${remote}/a ${back}/b\n`
      const options = ['-B', '32768', '-R', '512']
      return [await client(place, ['sftp', ...sshOptions(place, 'P'), ...options, '-b', '-', address(place)], input)]
    })
    expect(outcome.ours).toEqual(outcome.theirs)
    expect(codes(outcome.ours)).toEqual([0])
  })
})

describe.each([
  ['by SFTP', ['-s']],
  ['in its old mode', ['-O']],
])('scp %s', (_name, mode) => {
  it('copies folders there and back with modes and times', async () => {
    const outcome = await compare(async ({ place, local, remote, back }) => {
      const scp = (...args: string[]) => client(place, ['scp', ...mode, '-rpq', ...sshOptions(place, 'P'), ...args])
      const at = (path: string): string => `${address(place)}:${path}`
      return [
        await scp(local, at(`${remote}/all`)),
        await scp(at(`${remote}/all/sub`), back),
        await scp(at(`${remote}/all/large`), back),
        await scp(at(`${remote}/nothing`), back),
        await scp(`${local}/small`, at('/nothing/there')),
      ]
    })
    expect(outcome.ours).toEqual(outcome.theirs)
    expect(codes(outcome.ours)).toEqual([0, 0, 0, 1, 1])
    expect(outcome.ours.results[3]?.stderr).toMatch(NO_SERVER)
  })
})

describe.skipIf(!installed.putty)("PuTTY's programs (needs the package putty-tools)", () => {
  it('runs a psftp batch', async () => {
    const outcome = await compare(async ({ place, local, remote, back }) => {
      const input = [
        `cd ${remote}`,
        `lcd ${local}`,
        'mkdir up',
        'put -r sub up/sub',
        'put large',
        'mv large moved',
        'chmod 640 moved',
        'ls up/sub',
        'del nothing',
        'rmdir up',
        `lcd ${back}`,
        'get moved',
        'reget moved',
        'get -r up',
        'get nothing',
        'quit',
      ].join('\n')
      const result = await program(['psftp', ...puttyOptions(place), place.host], input)
      return [withoutGreeting(result)]
    })
    expect(outcome.ours).toEqual(outcome.theirs)
    expect(codes(outcome.ours)).toEqual([0])
  })

  it('copies folders there and back with pscp', async () => {
    const outcome = await compare(async ({ place, local, remote, back }) => {
      const pscp = async (...args: string[]) =>
        withoutGreeting(await program(['pscp', '-sftp', '-q', '-p', '-r', ...puttyOptions(place), ...args]))
      return [
        await pscp(`${local}/sub`, `${local}/large`, `${place.host}:${remote}`),
        await pscp(`${place.host}:${remote}/sub`, back),
        await pscp(`${place.host}:${remote}/nothing`, back),
      ]
    })
    expect(outcome.ours).toEqual(outcome.theirs)
    expect(codes(outcome.ours)).toEqual([0, 0, 1])
  })
})

/** The home folders of the accounts differ, and so does the sign-in. */
function withoutGreeting({ code, stdout, stderr }: ProgramResult): ProgramResult {
  return {
    code,
    stdout: stdout.replace(/^Remote working directory is .*$/m, ''),
    stderr: stderr.replaceAll(/^(?:Using username|Keyboard-interactive auth|End of keyboard-interactive).*\r?\n/gm, ''),
  }
}

describe.skipIf(!installed.paramiko)('paramiko (needs the package python3-paramiko)', () => {
  it('uploads, prefetches, lists, changes, and reports the same errors', async () => {
    const outcome = await compare(async ({ place, local, remote }) => {
      const script = join(import.meta.dirname, 'paramiko-client.py')
      const { host, port, login, password = '', keyFile = '' } = place
      const args = [host, String(port), login, password, keyFile, remote, local]
      return [await program([PYTHON, '-W', 'ignore', script, ...args])]
    })
    expect(outcome.ours).toEqual(outcome.theirs)
    expect(codes(outcome.ours)).toEqual([0])
    expect(outcome.ours.results[0]?.stdout).toContain('pipelined 2000000 True')
  })
})

describe.skipIf(!installed.rsync)('rsync (needs the package rsync)', () => {
  it('mirrors a folder there and back, and sends only changes', async () => {
    const outcome = await compare(async ({ place, local, remote, back }) => {
      const shell = ['ssh', ...sshOptions(place, 'p')].join(' ')
      const rsync = (...args: string[]) => client(place, ['rsync', '-a', '--out-format=%n', '-e', shell, ...args])
      const at = (path: string): string => `${address(place)}:${path}/`
      return [
        await rsync(`${local}/`, at(remote)),
        await rsync('--checksum', `${local}/`, at(remote)),
        await rsync(at(remote), `${back}/`),
      ]
    })
    expect(outcome.ours).toEqual(outcome.theirs)
    expect(codes(outcome.ours)).toEqual([0, 0, 0])
    expect(outcome.ours.results[1]?.stdout).toBe('')
  })
})

// A copy of this checkout owned by an ordinary user of this machine, in a home directory that nobody else can enter.
// Needs root.
import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { buildStale, OWN_AGENT } from '../../scripts/build.ts'
import { root } from './product.ts'

export interface OwnedCheckout {
  /** Mode 0700, owned by the user. */
  readonly home: string
  readonly folder: string
  readonly user: string
  readonly uid: number
  /** Command prefix that runs a command as the user. */
  readonly as: readonly string[]
  remove(): Promise<void>
}

const UID = 61_234
const USER = 'bowline-tester'
/** Build outputs and dependencies are copied; files tied to one checkout are not. */
const LEFT_OUT = new Set(['.git', '.bowline', 'test-results'])

export async function ownedCheckout(): Promise<OwnedCheckout> {
  // The user could not build: the dependencies belong to root.
  await buildStale(['console', OWN_AGENT])
  const home = await mkdtemp(join(tmpdir(), 'bowline-e2e-home-'))
  const folder = join(home, 'bowline')
  const installed: string[] = []
  await cp(root, folder, {
    recursive: true,
    verbatimSymlinks: true,
    filter(source) {
      const name = source.slice(source.lastIndexOf('/') + 1)
      if (name === 'node_modules') installed.push(relative(root, source))
      return name !== 'node_modules' && !LEFT_OUT.has(name)
    },
  })
  for (const path of installed) await mkdir(join(folder, path))
  // A hundred thousand files: bind-mounted into the copy, visible only to this user's commands.
  const mounts = installed.map((path) => `mount --bind ${join(root, path)} ${join(folder, path)}`)
  const passwd = join(home, 'passwd')
  await writeFile(passwd, `${await readFile('/etc/passwd', 'utf8')}${USER}:x:${UID}:${UID}::${home}:/bin/sh\n`)
  execFileSync('chown', ['-R', `${UID}:${UID}`, home])
  const become = `setpriv --reuid=${UID} --regid=${UID} --clear-groups env HOME=${home} USER=${USER} LOGNAME=${USER}`
  const script = ['set -e', ...mounts, `mount --bind ${passwd} /etc/passwd`, `exec ${become} "$@"`].join('\n')
  return {
    home,
    folder,
    user: USER,
    uid: UID,
    as: ['unshare', '--mount', 'sh', '-c', script, 'as'],
    remove: () => rm(home, { recursive: true, force: true }),
  }
}

/** Process ids of everything that runs as a user. */
export async function processesOf(uid: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const status = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')))
  return pids.filter((_, index) => new RegExp(`^Uid:\\s${uid}\\s`, 'm').test(status[index] ?? '')).map(Number)
}

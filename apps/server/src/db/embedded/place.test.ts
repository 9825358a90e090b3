// Choice of PostgreSQL's account and folder. Mostly about root, under which PostgreSQL refuses to run; an ordinary user
// has no choice.
import { spawn, spawnSync } from 'node:child_process'
import { chmod, chown, lstat, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { passwordsFile } from './passwords.ts'
import { findPackage } from './package.ts'
import { isPostgresOf } from './pid-file.ts'
import { findPostmaster } from './postmaster.ts'
import { makeRunDir } from './run-dir.ts'
import type { EmbeddedPostgres } from './supervisor.ts'
import { until } from '@bowline/testkit/until'
import { clusterOf, ended, isRoot, NOBODY, query, served, serverProgram, testFolders } from './testing.ts'

const { madeFolder, newFolder, otherServer } = testFolders()

/** Probes if `command` works on this host, as containers may forbid it. */
function works(...command: [string, ...string[]]): boolean {
  return spawnSync(command[0], command.slice(1)).status === 0
}

/** Options of `setpriv` for an account without supplementary groups. */
const as = (uid: number) => [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups']

const readAs = (uid: number, file: string) => spawnSync('setpriv', [...as(uid), 'cat', file], { encoding: 'utf8' })

const uidOf = async (postgres: EmbeddedPostgres) => (await stat(`/proc/${postgres.pid}`)).uid

async function accountIds(): Promise<number[]> {
  return (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => Number(line.split(':')[2]))
}

/** Files below a folder that contain a text. */
async function filesWith(text: string, folder: string): Promise<string[]> {
  return spawnSync('grep', ['-rlF', text, folder], { encoding: 'utf8' }).stdout.trim().split('\n')
}

/**
 * Gives a data folder the file owner and password location of earlier versions.
 * @returns the password file
 */
async function makeOld(dataDir: string): Promise<string> {
  const cluster = await clusterOf(dataDir)
  const file = join(cluster, 'bowline-passwords.json')
  await rename(passwordsFile(cluster), file)
  spawnSync('chown', ['-R', `${NOBODY}:${NOBODY}`, cluster])
  return file
}

function asRoot(): void {
  it('runs PostgreSQL under an unused uid that is stable across starts', async () => {
    const dataDir = await newFolder()
    const uid = await served(dataDir, uidOf)
    expect(uid).not.toBe(0)
    expect(await accountIds()).not.toContain(uid)
    expect(await served(dataDir, uidOf)).toBe(uid)
  })

  it('runs PostgreSQL under its own uid in a private data folder', async () => {
    const dataDir = await newFolder(0o700)
    await served(dataDir, async (postgres) => {
      const uid = await uidOf(postgres)
      expect([0, NOBODY]).not.toContain(uid)
      const { mode, gid } = await stat(dataDir)
      expect({ mode: mode & 0o777, gid }).toEqual({ mode: 0o710, gid: uid })
    })
  })

  it('hides the passwords from nobody and from the account of PostgreSQL', async () => {
    const dataDir = await newFolder()
    await served(dataDir, async (postgres) => {
      const { password } = postgres.connection
      const files = await filesWith(password, join(dataDir, 'postgres'))
      expect(files).toHaveLength(1)
      for (const uid of [NOBODY, await uidOf(postgres)]) {
        for (const file of files) expect(readAs(uid, file)).toMatchObject({ status: 1, stdout: '' })
        expect(works('setpriv', ...as(uid), 'test', '-x', postgres.connection.host)).toBe(uid !== NOBODY)
      }
    })
  })

  it('transfers an earlier version’s cluster of nobody to its own uid', async () => {
    const dataDir = await madeFolder()
    await served(dataDir, (postgres) => query(postgres, 'create table kept as select 42 as answer'))
    const file = await makeOld(dataDir)
    await served(dataDir, async (postgres) => {
      const uid = await uidOf(postgres)
      expect(await accountIds()).not.toContain(uid)
      expect(await query(postgres, 'select answer from kept')).toEqual([{ answer: 42 }])
      const owners = await Promise.all(
        (await readdir(await clusterOf(dataDir), { recursive: true })).map(
          async (name) => (await lstat(join(await clusterOf(dataDir), name))).uid,
        ),
      )
      expect(new Set(owners)).toEqual(new Set([uid]))
      await expect(stat(file)).rejects.toThrow('ENOENT')
    })
  })

  it('completes an interrupted transfer from nobody', async () => {
    const dataDir = await madeFolder()
    const uid = await served(dataDir, uidOf)
    await makeOld(dataDir)
    await chown(await clusterOf(dataDir), uid, uid)
    await served(dataDir, async (postgres) => {
      expect(await uidOf(postgres)).toBe(uid)
      expect((await stat(join(await clusterOf(dataDir), 'base'))).uid).toBe(uid)
    })
  })

  it('restarts a PostgreSQL that a killed server of an earlier version left running as nobody', async () => {
    const dataDir = await madeFolder()
    const cluster = await clusterOf(dataDir)
    await makeOld(dataDir)
    const runDir = await makeRunDir({ kind: 'user', uid: NOBODY, gid: NOBODY })
    const program = join(dataDir, 'postgres', String((await findPackage()).major), 'bin/postgres')
    const options = ['-D', cluster, '-c', 'listen_addresses=', '-c', `unix_socket_directories=${runDir}`]
    const old = spawn('setpriv', [...as(NOBODY), program, ...options], { stdio: 'ignore' })
    await until(async () => (await findPostmaster(cluster)) !== undefined)
    await served(dataDir, async (postgres) => {
      expect(await uidOf(postgres)).not.toBe(NOBODY)
      expect(await query(postgres, 'select 1 as one')).toEqual([{ one: 1 }])
    })
    await ended(old)
    await expect(stat(runDir)).rejects.toThrow('ENOENT')
  })

  const namespaces = works('unshare', '--user', `--map-user=${NOBODY}`, 'true')
  it.runIf(namespaces)(
    'transfers a cluster to root in a user namespace while a parent folder is private, and back',
    async () => {
      const above = await newFolder()
      const dataDir = join(above, 'data')
      await served(dataDir, (postgres) => query(postgres, 'create table kept as select 42 as answer'))
      for (const mode of [0o700, 0o711]) {
        await chmod(above, mode)
        await served(dataDir, async (postgres) => {
          expect((await stat(await clusterOf(dataDir))).uid === 0).toBe(mode === 0o700)
          expect(await query(postgres, 'select answer from kept')).toEqual([{ answer: 42 }])
        })
      }
    },
  )

  it('recognises, adopts and stops PostgreSQL without CAP_SYS_PTRACE, as in a container', async () => {
    const dataDir = await madeFolder()
    const limited = ['setpriv', '--bounding-set=-sys_ptrace', '--inh-caps=-sys_ptrace']
    const first = await otherServer(dataDir, limited)
    first.child.kill('SIGKILL')
    await ended(first.child)
    const second = await otherServer(dataDir, limited)
    expect(second.report).toMatchObject({ ready: true, pid: first.report.pid })
    second.child.kill('SIGTERM')
    await ended(second.child)
    expect(await isPostgresOf(await clusterOf(dataDir), second.report.pid ?? 0)).toBe(false)
  })

  /** An ordinary account that every host has: `daemon`. */
  const ordinary = 1
  const asOrdinary = ['setpriv', ...as(ordinary)] as const
  it.runIf(works('setpriv', ...as(ordinary), 'cat', serverProgram))(
    'keeps a cluster of an ordinary account with that account',
    async () => {
      const dataDir = await newFolder()
      await chown(dataDir, ordinary, ordinary)
      const serveOnceMore = async () => {
        const { child, report } = await otherServer(dataDir, asOrdinary)
        expect(report).toMatchObject({ ready: true })
        child.kill('SIGTERM')
        await ended(child)
      }
      await serveOnceMore()
      expect(await served(dataDir, uidOf)).toBe(ordinary)
      await serveOnceMore()
    },
  )

  const nameless = 54_321
  const asNameless = ['setpriv', `--reuid=${nameless}`, `--regid=${nameless}`, '--clear-groups'] as const
  const namelessMay = works(...asNameless, 'unshare', '--user', `--map-user=${NOBODY}`, 'cat', serverProgram)
  it.runIf(namelessMay)('runs under an account without a name, as in containers', async () => {
    const dataDir = await newFolder()
    await chown(dataDir, nameless, nameless)
    const { child, report } = await otherServer(dataDir, asNameless)
    expect(report).toMatchObject({ ready: true })
    child.kill('SIGTERM')
    await ended(child)
    expect((await stat(await clusterOf(dataDir))).uid).toBe(nameless)
  })

  // A user namespace in which root cannot create another one, with its own /var/lib. The shell gains its capabilities
  // at the second exec: at the first it had no uid yet.
  const closedWorld = `
    unshare --user --mount sh -c 'until grep -q 65536 /proc/self/uid_map; do sleep 0.02; done; exec sh -c "$0"' "
      mount -t tmpfs -o mode=755 none /var/lib && echo 0 >/proc/sys/user/max_user_namespaces || exit 1
      $1" &
    until [ "$(readlink /proc/$!/ns/user)" != "$(readlink /proc/self/ns/user)" ]; do sleep 0.02; done
    echo 0 0 65536 >/proc/$!/gid_map && echo 0 0 65536 >/proc/$!/uid_map && wait $!`
  const canClose = namespaces && works('timeout', '10', 'sh', '-c', closedWorld, 'sh', 'true')
  /** Runs shell commands in that namespace. */
  const inClosedWorld = (script: string) =>
    spawnSync('sh', ['-c', closedWorld, 'sh', script], { encoding: 'utf8' }).stdout.trim().split('\n')
  /** Time limit of several successive servers on a busy machine. */
  const SLOW_MS = 120_000
  const serveOnce = (dataDir: string) => `"${process.execPath}" "${serverProgram}" "${dataDir}" once`

  it.runIf(canClose)(
    'opens a private data folder to PostgreSQL’s group where user namespaces are forbidden',
    { timeout: SLOW_MS },
    async () => {
      const dataDir = await newFolder(0o700)
      const [first, second] = inClosedWorld(`${serveOnce(dataDir)}; ${serveOnce(dataDir)}`)
      expect(first).toContain('"ready":true')
      expect(second).toContain('"ready":true')
      const { mode, gid } = await stat(dataDir)
      const cluster = await stat(await clusterOf(dataDir))
      expect({ mode: mode & 0o777, gid }).toEqual({ mode: 0o710, gid: cluster.gid })
      expect(await accountIds()).not.toContain(cluster.uid)
    },
  )

  it.runIf(canClose)(
    'reopens a data folder that an earlier version opened to the group of nobody',
    { timeout: SLOW_MS },
    async () => {
      const dataDir = await madeFolder()
      await makeOld(dataDir)
      await chown(dataDir, 0, NOBODY)
      await chmod(dataDir, 0o710)
      const [report] = inClosedWorld(serveOnce(dataDir))
      expect(report).toContain('"ready":true')
      const { mode, gid } = await stat(dataDir)
      expect({ mode: mode & 0o777, gid }).toEqual({ mode: 0o710, gid: (await stat(await clusterOf(dataDir))).gid })
    },
  )

  it.runIf(canClose)('falls back to /var/lib for the cluster and finds it again', { timeout: SLOW_MS }, async () => {
    const closed = await newFolder(0o700)
    const dataDir = join(closed, 'data')
    const serve = serveOnce(dataDir)
    const script = `${serve}; ls -d /var/lib/bowline/*/18-data; ${serve}; rm -r /var/lib/bowline; ${serve}`
    const [first, folder, second, third] = inClosedWorld(script)
    expect(first).toContain('"ready":true')
    expect(folder?.replace('/18-data', '')).toBe((await readFile(join(dataDir, 'postgres/location'), 'utf8')).trim())
    expect(second).toContain('"ready":true')
    expect(third).toContain('location names a folder that does not exist')
    expect((await stat(closed)).mode & 0o777).toBe(0o700)
  })

  const canMount = works('unshare', '--mount', 'sh', '-c', 'mount -t tmpfs none /mnt')
  it.runIf(canMount)('reports a full disk at the first and later starts', { timeout: SLOW_MS }, async () => {
    const dataDir = await newFolder()
    const serve = serveOnce(dataDir)
    const start = (setUp: string) =>
      spawnSync('unshare', ['--mount', 'sh', '-c', `${setUp}; ${serve}`], { encoding: 'utf8' }).stdout
    const disk = (size: string) => `mount -t tmpfs -o mode=755,size=${size} none "${dataDir}"`
    const full = `the disk that holds ${dataDir}/postgres is full`
    expect(start(disk('20m'))).toContain(full)
    expect(start(disk('80m'))).toContain(full)
    const fill = `dd if=/dev/zero of="${dataDir}/fill" bs=4k 2>&1 | cat >/dev/null`
    expect(start(`${disk('160m')}; ${serve}; ${fill}`)).toContain(full)
  })
}

function asOrdinaryUser(): void {
  it('runs PostgreSQL as the current user', async () => {
    const dataDir = await newFolder()
    await served(dataDir, async (postgres) => {
      expect((await stat(`/proc/${postgres.pid}`)).uid).toBe(process.getuid?.())
    })
  })
}

describe('account of PostgreSQL', () => {
  if (isRoot) asRoot()
  else asOrdinaryUser()
})

it('refuses to start when the recorded cluster folder is missing', async () => {
  const dataDir = await madeFolder()
  await writeFile(join(dataDir, 'postgres/location'), '/nonexistent/bowline\n')
  await expect(served(dataDir, async () => undefined)).rejects.toThrow(/the database was there/)
})

// A second machine booted with a real service manager as its init: a root of its own in its own namespaces, with this
// machine's programs. Needs root and mountable control groups.
import { execFileSync, spawn, type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, rmdirSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { root } from '../product.ts'
import { until } from '../wait.ts'

/** A service manager that tests can boot. */
export interface Boot {
  /** Must exist on this machine. */
  readonly needs: string
  /** sh lines that end by exec'ing init; `$1` is the root. */
  readonly script: string
  /** Succeeds once boot has completed. */
  readonly isUp: string
  /** True when its programs write to stderr even on success. */
  readonly complainsAlways: boolean
}

export const systemd: Boot = {
  needs: '/lib/systemd/systemd',
  script: `exec env -i container=bowline PATH=/usr/sbin:/usr/bin chroot "$1" /lib/systemd/systemd --system --unit=multi-user.target`,
  isUp: 'systemctl is-system-running',
  complainsAlways: false,
}

/** {@link systemd} on which packages can be installed: dpkg and apt know what this machine has. @param folder shown as `/packages` */
export function systemdWithPackages(folder: string): Boot {
  const script = `
mkdir upper work packages
mount -t overlay -o lowerdir=/usr,upperdir=upper,workdir=work overlay usr
mount -t tmpfs -o mode=755 tmpfs usr/local
mount --bind -o ro ${folder} packages
mkdir -p etc/apt etc/dpkg var/lib/apt/lists/partial var/cache/apt/archives/partial var/log/apt
cp -a /var/lib/dpkg var/lib/dpkg
# They are about accounts that the machine does not have.
for file in triggers/File statoverride; do : >var/lib/dpkg/$file; done
# Images of containers forbid services by it.
rm -f usr/sbin/policy-rc.d
mkdir etc/apt/apt.conf.d etc/apt/preferences.d etc/apt/sources.list.d
# apt reads keys with awk, which Debian chooses there.
cp -a /etc/alternatives etc/alternatives
${systemd.script}`
  return { ...systemd, script }
}

/** OpenRC as unpacked by `.ci/run`: installing it would replace this machine's own service manager. */
const OPENRC = join(root, '.cache/openrc')

export const openRc: Boot = {
  needs: join(OPENRC, 'usr/sbin/openrc-init'),
  script: `
mount -t overlay -o lowerdir=${OPENRC}/usr:/usr overlay usr
mount -t tmpfs -o mode=755 tmpfs usr/local
cp -a ${OPENRC}/etc/. etc
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$1" /sbin/openrc-init >var/log/openrc 2>&1`,
  isUp: 'grep -qx default /run/openrc/softlevel',
  // Debian's OpenRC, without old-style scripts.
  complainsAlways: true,
}

/** Timeout of one line, so that a test cannot hang. */
const TIMEOUT_MS = 60_000

export const USER = { name: 'dev', password: 'a password of dev', uid: 1_500 }

/** $1: the root. $2: its name. $3: the user's rows for its shadow(5). */
const PREPARE = `
set -e
hostname "$2"
mount -t tmpfs -o mode=755 tmpfs "$1"
cd "$1"
mkdir usr etc dev proc sys run tmp var root home
ln -s /run var/run
mkdir -p var/log var/lib etc/systemd/system home/${USER.name}
chmod 1777 tmp
for path in bin sbin lib lib64; do [ ! -L "/$path" ] || ln -s "$(readlink "/$path")" "$path"; done
mount --rbind -o ro /usr usr
mount -o remount,bind,ro usr
mount -t tmpfs -o mode=755 tmpfs usr/local
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t tmpfs tmpfs sys/fs/cgroup
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=755 tmpfs dev
for node in null zero full random urandom tty; do touch "dev/$node"; mount --bind "/dev/$node" "dev/$node"; done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
printf 'root:x:0:0:root:/root:/bin/sh\\n${USER.name}:x:${USER.uid}:${USER.uid}::/home/${USER.name}:/bin/sh\\n' >etc/passwd
printf 'root:x:0:\\ntty:x:5:\\n${USER.name}:x:${USER.uid}:\\n' >etc/group
(umask 077; printf 'root:*:19000::::::\\n${USER.name}:%s:19000::::::\\n' "$3" >etc/shadow)
chown ${USER.uid}:${USER.uid} home/${USER.name}
printf '127.0.0.1 localhost\\n' >etc/hosts
printf 'passwd: files\\ngroup: files\\nshadow: files\\nhosts: files\\n' >etc/nsswitch.conf
printf 'ID=booted\\nPRETTY_NAME="Booted Machine"\\n' >etc/os-release
printf '%s\\n' "$2" >etc/hostname
# A machine that has been up before: at the first start systemd would switch on everything that is installed.
tr -d - </proc/sys/kernel/random/uuid >etc/machine-id
cp /etc/ld.so.cache etc/ld.so.cache
`

export interface BootedMachine {
  /** Runs a line of sh as root to completion. */
  run(line: string): SpawnSyncReturns<string>
  remove(): Promise<void>
}

/** Why such a machine cannot be booted here; undefined when it can. */
export function bootProblem(boot: Boot): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root'
  if (controlGroups() === undefined) return 'needs control groups, version 2, that can be written'
  return existsSync(boot.needs) ? undefined : `needs ${boot.needs}`
}

/** Where they are mounted (cgroups(7)). */
function controlGroups(): string | undefined {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
  const fields = mounts.map((line) => line.split(' ')).find(([, , type]) => type === 'cgroup2')
  return fields?.[3]?.split(',').includes('rw') ? fields[1] : undefined
}

/** Removes a control group and its descendants; only empty ones can be removed. */
function removeGroup(group: string): boolean {
  const inner = readdirSync(group, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  if (!inner.every((entry) => removeGroup(join(group, entry.name)))) return false
  try {
    rmdirSync(group)
    return true
  } catch {
    return false
  }
}

/** @param name host name */
export async function bootMachine(boot: Boot, name: string): Promise<BootedMachine> {
  const folder = await mkdtemp(join(tmpdir(), 'bowline-e2e-booted-'))
  const hash = execFileSync('openssl', ['passwd', '-6', '-stdin'], { input: USER.password, encoding: 'utf8' }).trim()
  // Its control groups are under one of its own, isolated from the rest of this machine.
  const group = join(controlGroups() ?? '', basename(folder))
  await mkdir(group)
  const enter = ['-c', 'echo $$ >"$0/cgroup.procs"; exec "$@"', group]
  const unshare = ['unshare', '--mount', '--uts', '--ipc', '--pid', '--cgroup', '--fork', '--kill-child']
  const script = `${PREPARE}\n${boot.script}`
  const parent = spawn('sh', [...enter, ...unshare, 'sh', '-c', script, 'boot', folder, name, hash], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => parent.once('exit', () => resolve()))
  const first = await until('the machine has a first process', () => firstChild(parent.pid))
  const run: BootedMachine['run'] = (line) => {
    const namespaces = ['-t', first, '-m', '-u', '-i', '-p', '-C', `--root=/proc/${first}/root`, '--wdns=/']
    const shell = ['env', '-i', 'HOME=/root', 'PATH=/usr/local/bin:/usr/sbin:/usr/bin', 'sh', '-c', line]
    return spawnSync('nsenter', [...namespaces, ...shell], {
      encoding: 'utf8',
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
    })
  }
  await until('the machine is up', () => run(boot.isUp).status === 0)
  return {
    run,
    async remove() {
      // Not SIGTERM, which unshare does not act on; killing init ends everything in the machine.
      parent.kill('SIGKILL')
      await ended
      await until('its processes have ended', () => removeGroup(group))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The process that `unshare --fork` started, once it has exec'ed the service manager. */
function firstChild(pid: number | undefined): string | undefined {
  const [child = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
  if (child === '') return undefined
  const name = readFileSync(`/proc/${child}/comm`, 'utf8').trim()
  return name === 'sh' ? undefined : child
}

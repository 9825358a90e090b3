// A lightweight second machine: a root of its own in its own namespaces, with this machine's programs but without its
// Node, users and files. Needs root.
import { cp, mkdir, mkdtemp, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Running, run } from '../running.ts'

export const canMakeMachines = process.getuid?.() === 0

export interface Machine {
  /** Its root, as a path on this machine. */
  readonly folder: string
  /** Boots it and runs a line of sh as its user `dev`; everything in it ends with that command. */
  run(line: string): Running
  remove(): Promise<void>
}

const DEV = 1_500
/**
 * Its init; it stays root, so that it ends with its parent (prctl(2), PR_SET_PDEATHSIG), and everything else
 * with it. $1: its root. $2: its name. $3: the line to run.
 */
const BOOT = `
set -e
hostname "$2"
mount --rbind -o ro /usr "$1/usr"
mount -o remount,bind,ro "$1/usr"
for node in usr/bin/node usr/bin/npm usr/local/bin/node usr/local/bin/npm; do
  if [ -e "$1/$node" ]; then mount --bind "$1/etc/nothing" "$1/$node"; fi
done
mount --rbind /dev "$1/dev"
mount -t proc proc "$1/proc"
chroot --userspec=${DEV}:${DEV} --groups=${DEV} "$1" /usr/bin/env -i HOME=/home/dev USER=dev \\
  PATH=/usr/local/bin:/usr/bin:/bin /bin/sh -c "cd && $3"
`

/** @param name host name */
export async function makeMachine(name: string): Promise<Machine> {
  const folder = await mkdtemp(join(tmpdir(), 'bowline-e2e-machine-'))
  const inside = (path: string): string => join(folder, path)
  for (const path of ['usr', 'etc', 'dev', 'proc', 'home']) await mkdir(inside(path))
  for (const path of ['bin', 'sbin', 'lib', 'lib64']) {
    const target = await readlink(`/${path}`).catch(() => undefined)
    if (target !== undefined) await symlink(target, inside(path))
  }
  await mkdir(inside('tmp'), { mode: 0o777 })
  await mkdir(inside('home/dev'), { mode: 0o700 })
  await run(['chown', `${DEV}:${DEV}`, inside('home/dev')], {}).ended
  await run(['chmod', '755', folder], {}).ended
  const files = {
    passwd: `root:x:0:0:root:/root:/bin/sh\ndev:x:${DEV}:${DEV}::/home/dev:/bin/sh\n`,
    group: `root:x:0:\ndev:x:${DEV}:\n`,
    hosts: '127.0.0.1 localhost\n',
    'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
    'os-release': 'ID=second\nPRETTY_NAME="Second Machine 2"\n',
    'machine-id': '5eaf5eaf5eaf5eaf5eaf5eaf5eaf5eaf\n',
    nothing: '',
  }
  for (const [file, text] of Object.entries(files)) await writeFile(inside(`etc/${file}`), text)
  await cp('/etc/ld.so.cache', inside('etc/ld.so.cache'))
  const unshare = ['unshare', '--mount', '--uts', '--ipc', '--pid', '--fork', '--kill-child']
  return {
    folder,
    run: (line) => run([...unshare, 'sh', '-c', BOOT, 'boot', folder, name, line], {}),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

// A real container engine: Debian's podman, which serves the Docker Engine API on a loopback port. Its containers run
// from an image of busybox alone, made here; images, containers and settings are in a folder of their own.
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown, copyFile, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'

const run = promisify(execFile)
const BUSYBOX = '/bin/busybox'
const IMAGE = 'localhost/tiny:1'
/** Control groups may be mixed and limits fixed where tests run: the defaults of podman fail there. */
const CONTAINERS_CONF = `[containers]
default_ulimits = ["nofile=4096:4096","nproc=4096:4096"]
netns = "host"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
`

export interface ContainerEngine {
  readonly host: '127.0.0.1'
  readonly port: number
  /** Runs podman with the engine's folder. @returns what it printed, trimmed */
  podman(...args: string[]): Promise<string>
  /** Starts a container that sleeps. @returns its id */
  run(name: string, ...options: string[]): Promise<string>
  /** Stops serving the API; containers keep running. */
  stop(): Promise<void>
  /** Serves it again, on the same port. */
  start(): Promise<void>
  /** Removes everything. */
  close(): Promise<void>
}

/** The reason why no engine can run here; undefined when one can. */
export function containerEngineMissing(): string | undefined {
  if (process.getuid?.() !== 0) return 'a container engine needs root'
  if (!existsSync(BUSYBOX)) return 'busybox-static is not installed'
  for (const program of ['podman', 'runc']) {
    if (spawnSync(program, ['--version']).error) return `${program} is not installed`
  }
  return undefined
}

/** Starts an engine without containers; accounts of its image: root and ada (uid 1000), with /bin/sh. */
export async function startContainerEngine(): Promise<ContainerEngine> {
  const folder = await mkdtemp(join(tmpdir(), 'bowline-engine-'))
  const store = `[storage]\ndriver = "vfs"\ngraphroot = "${folder}/graph"\nrunroot = "${folder}/run"\n`
  await writeFile(join(folder, 'containers.conf'), `${CONTAINERS_CONF}tmp_dir = "${folder}/libpod"\n`)
  await writeFile(join(folder, 'storage.conf'), store)
  const env = {
    ...process.env,
    CONTAINERS_CONF: join(folder, 'containers.conf'),
    CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
  }
  const podman = async (...args: string[]): Promise<string> => (await run('podman', args, { env })).stdout.trim()
  await makeRoot(join(folder, 'root'))
  execFileSync('sh', ['-c', `tar -C "$0" -c . | podman import - ${IMAGE}`, join(folder, 'root')], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const port = await freePort()
  let stop = async (): Promise<void> => undefined
  async function start(): Promise<void> {
    const child = spawn('podman', ['system', 'service', '-t', '0', `tcp:127.0.0.1:${port}`], { env, stdio: 'ignore' })
    const ended = once(child, 'exit')
    stop = async () => {
      child.kill('SIGKILL')
      await ended
    }
    for (let tries = 0; ; tries += 1) {
      const answer = await fetch(`http://127.0.0.1:${port}/_ping`).catch(() => undefined)
      if (answer?.ok) return
      if (tries === 200 || child.exitCode !== null) throw new Error('podman does not serve its API')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  await start()
  return {
    host: '127.0.0.1',
    port,
    podman,
    run: (name, ...options) => podman('run', '-d', '--name', name, ...options, IMAGE, '/bin/sleep', '1000000'),
    stop: () => stop(),
    start,
    async close() {
      await podman('rm', '--all', '--force', '--time', '0').catch(() => undefined)
      await stop()
      await endMonitors(folder)
      // A clean-up that was just starting writes its lock once more.
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

/** Ends the monitors of containers, which stay for minutes after them, and the clean-ups that monitors start. */
async function endMonitors(folder: string): Promise<void> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (!/^\/usr\/bin\/(conmon|podman)\0/.test(line) || !line.includes(`${folder}/`)) continue
    try {
      process.kill(Number(pid), 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
}

async function makeRoot(root: string): Promise<void> {
  for (const name of ['bin', 'etc', 'root', 'home/ada', 'tmp', 'proc', 'dev']) {
    await mkdir(join(root, name), { recursive: true })
  }
  await copyFile(BUSYBOX, join(root, 'bin/busybox'))
  execFileSync('chmod', ['755', join(root, 'bin/busybox')])
  const applets = execFileSync(BUSYBOX, ['--list'], { encoding: 'utf8' }).trim().split('\n')
  for (const name of applets) if (name !== 'busybox') await symlink('busybox', join(root, 'bin', name))
  await writeFile(
    join(root, 'etc/passwd'),
    'root:x:0:0:root:/root:/bin/sh\nada:x:1000:1000:Ada:/home/ada:/bin/sh\ndaemon:x:2:2::/:/bin/false\n',
  )
  await writeFile(join(root, 'etc/group'), 'root:x:0:\nada:x:1000:\ndaemon:x:2:\n')
  await chown(join(root, 'home/ada'), 1_000, 1_000)
}

// Fixtures of the supervisor's tests: data folders, separate server processes, and queries.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { z } from 'zod'
import { type Log, silentLog } from '../../platform/log.ts'
import { TEST_FOLDER_PREFIX, testFolderParent } from '../../testing/data-folder.ts'
import { findPackage } from './package.ts'
import { findPostmaster, stopPostmaster } from './postmaster.ts'
import { removeRunDir } from './run-dir.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './supervisor.ts'

/** Tests need no durability across power failures. */
export const settings = { fsync: 'off' }
export const isRoot = process.getuid?.() === 0
export const NOBODY = 65_534

/** Program started by {@link TestFolders.otherServer}. */
export const serverProgram = fileURLToPath(new URL('./testing-process.ts', import.meta.url))

/** Report of a server process about its start. */
const Report = z.object({
  ready: z.boolean(),
  pid: z.number().optional(),
  host: z.string().optional(),
  error: z.string().optional(),
  holderPid: z.number().optional(),
})
export type Report = z.infer<typeof Report>

export interface TestFolders {
  /** Creates a data folder with a cluster, copied from one per test file. */
  readonly madeFolder: () => Promise<string>
  /** Creates an empty data folder that other accounts can traverse, unless `mode` says otherwise. */
  readonly newFolder: (mode?: number) => Promise<string>
  /** Starts a server process on a data folder and waits for its report; `prefix` is a command that runs it. */
  readonly otherServer: (
    dataDir: string,
    prefix?: readonly string[],
  ) => Promise<{ child: ChildProcess; report: Report }>
}

/** Registers hooks that create a folder for the file's tests and remove it with everything running in it. */
export function testFolders(): TestFolders {
  let base = ''
  const folders: string[] = []
  const children: ChildProcess[] = []
  beforeAll(async () => {
    base = await mkdtemp(join(await testFolderParent(), `${TEST_FOLDER_PREFIX}${process.pid}-`))
    await chmod(base, 0o711)
  })
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL')
    for (const folder of folders) {
      const cluster = await clusterOf(folder)
      const running = await findPostmaster(cluster)
      if (!running) continue
      await stopPostmaster(cluster, running.pid)
      await removeRunDir(running.socketDir)
    }
    await rm(base, { recursive: true, force: true })
  })
  async function newFolder(mode = 0o711): Promise<string> {
    const folder = join(base, `data-${folders.length + 1}`)
    folders.push(folder)
    await mkdir(folder, { mode })
    return folder
  }
  let seed: Promise<string> | undefined
  async function makeSeed(): Promise<string> {
    const folder = await newFolder()
    await served(folder, async () => undefined)
    return folder
  }
  return {
    newFolder,
    async madeFolder() {
      seed ??= makeSeed()
      const [from, folder] = [await seed, await newFolder()]
      const { status } = spawnSync('cp', ['-a', '--reflink=auto', join(from, 'postgres'), folder])
      if (status !== 0) throw new Error('Copying the cluster for a test failed.')
      return folder
    },
    async otherServer(dataDir, prefix = []) {
      const [command, ...args] = [...prefix, process.execPath, serverProgram, dataDir]
      const child = spawn(command ?? '', args, { stdio: ['ignore', 'pipe', 'inherit'] })
      children.push(child)
      for await (const line of createInterface({ input: child.stdout })) {
        return { child, report: Report.parse(JSON.parse(line)) }
      }
      throw new Error('The server process ended without a report.')
    },
  }
}

/** Runs `work` while this process holds the folder's PostgreSQL. */
export async function served<T>(
  dataDir: string,
  work: (postgres: EmbeddedPostgres) => Promise<T>,
  log: Log = silentLog,
): Promise<T> {
  const postgres = await startEmbeddedPostgres({ dataDir, log, settings })
  try {
    return await work(postgres)
  } finally {
    await postgres.close()
  }
}

/** Runs one statement on a separate connection. */
export async function query(postgres: EmbeddedPostgres, text: string): Promise<unknown[]> {
  const client = new Client(postgres.connection)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

export async function clusterOf(dataDir: string): Promise<string> {
  return join(dataDir, 'postgres', `${(await findPackage()).major}-data`)
}

export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

// OpenSSH's own `sftp` through the product, directly to sshd and through a jump host: many small files, each with four
// sequential round trips, and one large file.
import { mkdir, open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../site/child.ts'
import { type Candidate, interleave } from '../measure/interleave.ts'
import { hasCoreForEach } from '../machine.ts'
import type { BenchOptions } from '../options.ts'
import type { Row, Target } from '../row.ts'
import { inScene } from '../site/scene.ts'
import type { SshClient, Way } from '../ssh-client.ts'
import { pairedRatios, spreadOf } from '../measure/statistics.ts'
import { TARGETS } from '../targets.ts'

const FILES = 2_000
const FILES_PER_FOLDER = 100
const FILE_BYTES = 2_000
const PEERS = { sshd: 'sshd-password', 'ssh -J': 'jump' } as const satisfies Record<string, Way>
type Peer = keyof typeof PEERS

interface Job {
  readonly id: string
  readonly work: string
  /** Batch commands for sftp(1). */
  readonly batch: string
  /** Shell line on the device, which is this machine, before each round. */
  readonly before: string
  /** A row without a target is informational: a response takes longer through one more machine. */
  readonly targets: Readonly<Partial<Record<Peer, Target>>>
}

export function measureSftp(options: BenchOptions): Promise<Row[]> {
  return inScene(options, 'sftp', async ({ ssh }) => {
    const folder = join(options.folder, 'sftp', 'client')
    await mkdir(folder)
    await makeTree(join(folder, 'tree'))
    await makeFile(join(folder, 'big'), options.megabytes * 1e6)
    const rows: Row[] = []
    for (const job of jobs(folder, options.megabytes)) {
      options.say(`  ${job.work}`)
      const ways: readonly Way[] = ['bowline', ...Object.values(PEERS)]
      const candidates = ways.map((name): Candidate => ({ name, measure: () => time(ssh, name, folder, job) }))
      const times = await interleave(candidates, options.repeats)
      for (const peer of ['sshd', 'ssh -J'] as const) rows.push(rowOf(job, peer, times))
    }
    await rm(folder, { recursive: true })
    return rows
  })
}

function rowOf(job: Job, peer: Peer, times: ReadonlyMap<string, number[]>): Row {
  const [ours, theirs] = [times.get('bowline') ?? [], times.get(PEERS[peer]) ?? []]
  const target = job.targets[peer]
  return {
    id: `sftp.${job.id}.${peer === 'sshd' ? 'sshd' : 'jump'}`,
    work: job.work,
    peer,
    unit: 'ratio',
    measured: spreadOf(pairedRatios(ours, theirs)),
    ...(target ? { target } : {}),
    note: `${spreadOf(ours).median.toFixed(0)} to ${spreadOf(theirs).median.toFixed(0)} ms`,
    samples: { 'bowline ms': ours, [`${PEERS[peer]} ms`]: theirs },
  }
}

/** Uploads first: the downloads fetch the files they leave on the device. */
function jobs(folder: string, megabytes: number): readonly Job[] {
  const [tree, big, back] = ['tree', 'big', 'back'].map((name) => join(folder, name))
  const files = `${FILES} files of ${FILE_BYTES / 1e3} KB`
  const small = { 'ssh -J': TARGETS.tools }
  const large = (target: Target): Job['targets'] => (hasCoreForEach ? { sshd: target } : small)
  return [
    { id: 'put', work: `sftp put -r of ${files}`, batch: `put -r ${tree} .`, before: 'rm -rf tree', targets: small },
    {
      id: 'get',
      work: `sftp get -r of ${files}`,
      batch: `get -r tree ${back}`,
      before: `rm -rf ${back}`,
      targets: small,
    },
    {
      id: 'up',
      work: `sftp put of ${megabytes} MB`,
      batch: `put ${big} big`,
      before: 'rm -f big',
      targets: large(TARGETS.sftp.up),
    },
    {
      id: 'down',
      work: `sftp get of ${megabytes} MB`,
      batch: `get big ${back}`,
      before: `rm -rf ${back}`,
      targets: large(TARGETS.sftp.down),
    },
  ]
}

/** @returns milliseconds */
async function time(ssh: SshClient, way: Way, folder: string, { batch, before }: Job): Promise<number> {
  await ssh.run(way, before)
  const file = join(folder, 'batch')
  await writeFile(file, `${batch}\n`)
  // BatchMode would disable password prompts.
  const words = ['-e', 'sftp', '-q', '-F', ssh.configFile, '-c', 'aes128-gcm@openssh.com', '-o', 'BatchMode=no']
  return (await run('sshpass', [...words, '-b', file, way], { env: ssh.env })).milliseconds
}

async function makeTree(tree: string): Promise<void> {
  const content = Buffer.alloc(FILE_BYTES, 'bytes of a file, ')
  for (let index = 0; index < FILES; index += 1) {
    const below = join(tree, String(Math.floor(index / FILES_PER_FOLDER)))
    if (index % FILES_PER_FOLDER === 0) await mkdir(below, { recursive: true })
    await writeFile(join(below, String(index)), content)
  }
}

async function makeFile(path: string, bytes: number): Promise<void> {
  await using file = await open(path, 'w')
  const piece = Buffer.alloc(1_000_000, 'bytes of a file, ')
  for (let left = bytes; left > 0; left -= piece.length) await file.write(piece, 0, Math.min(left, piece.length))
}

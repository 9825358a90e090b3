// The SSH side alone, without a link or a device: the figures of ssh-transport.ts as rows.
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { run } from '../site/child.ts'
import type { BenchOptions } from '../options.ts'
import type { Row, Target } from '../row.ts'
import { root } from '../site/site.ts'
import { TARGETS } from '../targets.ts'

const CIPHERS = ['aes128-gcm', 'chacha20-poly1305']
const HANDSHAKES_PER_REPEAT = 10

const SshTransport = z.object({
  rows: z.array(
    z.object({
      name: z.string(),
      'CPU s/GB': z.number(),
      least: z.number(),
      most: z.number(),
      'MB/s': z.number(),
    }),
  ),
  handshakeMs: z.number(),
})

export async function measureSsh(options: BenchOptions): Promise<Row[]> {
  // It writes its figures to the temporary folder.
  const folder = join(options.folder, 'ssh')
  await mkdir(folder)
  const sizes = [
    ['--mb', options.megabytes],
    ['--repeats', options.repeats],
    ['--handshakes', options.repeats * HANDSHAKES_PER_REPEAT],
    ['--ciphers', CIPHERS.map((name) => `${name}@openssh.com`).join(',')],
  ].flatMap((words) => words.map(String))
  await run(process.execPath, [join(root, 'bench/src/ssh-transport.ts'), ...sizes], {
    env: { ...process.env, TMPDIR: folder },
  })
  const figures = SshTransport.parse(JSON.parse(await readFile(join(folder, 'ssh-transport.json'), 'utf8')))
  const rows = figures.rows.map((figure): Row => {
    const [cipher = '', direction] = figure.name.replace('@openssh.com', '').split(' ')
    const target = cipher === 'aes128-gcm' ? targetOf(direction) : undefined
    return {
      id: `ssh.${figure.name.replace('@openssh.com', '').replaceAll(' ', '-')}`,
      work: `CPU of the SSH side, ${direction === 'socket' ? 'for comparison a bare socket write' : `${direction}, ${cipher}`}`,
      peer: '',
      unit: 'secondsPerGb',
      measured: { median: figure['CPU s/GB'], least: figure.least, most: figure.most },
      ...(target ? { target } : {}),
      note: `${figure['MB/s']} MB/s`,
      samples: {},
    }
  })
  const { handshakeMs } = figures
  const handshake: Row = {
    id: 'ssh.handshake',
    work: 'CPU of the SSH side per connection with a key and one command',
    peer: '',
    unit: 'ms',
    measured: { median: handshakeMs, least: handshakeMs, most: handshakeMs },
    target: TARGETS.handshake,
    note: 'key exchange as this machine’s ssh prefers it; ML-KEM from OpenSSH 9.9 on',
    samples: {},
  }
  return [...rows, handshake]
}

function targetOf(direction: string | undefined): Target | undefined {
  return direction === 'down' || direction === 'up' ? TARGETS.cpu.ssh[direction] : undefined
}

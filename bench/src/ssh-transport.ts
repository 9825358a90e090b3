// The SSH transport alone: server CPU seconds per GB in each direction for each cipher, compared with a bare socket
// write, and server CPU milliseconds per handshake with sign-in. The client is OpenSSH; the server runs in a separate
// process.
//   node scripts/run.js bench/src/ssh-transport.ts [--mb 512] [--repeats 5] [--ciphers a,b] [--handshakes 40]
import { fork, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import shippedFlags from '../../scripts/node-flags.json' with { type: 'json' }
import { median } from './measure/statistics.ts'

const CIPHERS = ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'chacha20-poly1305@openssh.com', 'aes128-ctr']

interface Sample {
  readonly cpuSeconds: number
  readonly wallSeconds: number
}

async function measure(): Promise<void> {
  const { values } = parseArgs({
    options: {
      mb: { type: 'string', default: '512' },
      repeats: { type: 'string', default: '5' },
      ciphers: { type: 'string', default: CIPHERS.join(',') },
      handshakes: { type: 'string', default: '40' },
    },
  })
  const bytes = Number(values.mb) * 1024 * 1024
  const ciphers = values.ciphers.split(',').filter((name) => name !== '')
  const folder = mkdtempSync(join(tmpdir(), 'ssh-bench-'))
  const key = join(folder, 'key')
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
  const server = fork(join(import.meta.dirname, 'ssh-servers/own.ts'), [], { execArgv: shippedFlags.server })
  const ports = await answer(server)
  const [sshPort, barePort] = [numberIn(ports, 'ssh'), numberIn(ports, 'bare')]
  const options = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR', 'IdentitiesOnly=yes']
  const base = ['-F', '/dev/null', '-p', String(sshPort), '-i', key, ...options.flatMap((option) => ['-o', option])]
  const ssh = (extra: readonly string[], command: string) => [...base, ...extra, 'bench@127.0.0.1', command]

  const work: [string, () => Promise<void>][] = [['bare socket write', () => drain(barePort, bytes)]]
  for (const cipher of ciphers) {
    work.push([`${cipher} down`, () => run('ssh', ssh(['-c', cipher], `down ${bytes}`))])
    work.push([
      `${cipher} up`,
      () =>
        run('sh', [
          '-c',
          'f=$1; shift; head -c "$f" /dev/zero | ssh "$@"',
          'sh',
          String(bytes),
          ...ssh(['-c', cipher], 'up'),
        ]),
    ])
  }
  const samples = new Map<string, Sample[]>()
  // The first round is a discarded warm-up; rounds are interleaved so that drift affects every row alike.
  for (let round = 0; round <= Number(values.repeats); round += 1) {
    for (const [name, job] of work) {
      const sample = await timed(server, job)
      if (round > 0) samples.set(name, [...(samples.get(name) ?? []), sample])
    }
  }
  const rows = [...samples].map(([name, all]) => row(name, all, bytes))
  const count = Number(values.handshakes)
  const handshakes: number[] = []
  for (let turn = 0; turn < count + 5; turn += 1) {
    const { cpuSeconds } = await timed(server, () => run('ssh', ssh([], 'true')))
    if (turn >= 5) handshakes.push(cpuSeconds * 1_000)
  }
  server.kill()
  rmSync(folder, { recursive: true, force: true })
  console.table(Object.fromEntries(rows.map(({ name, ...rest }) => [name, rest])))
  const handshakeMs = round2(median(handshakes))
  console.log(`handshake, sign-in and exec: ${handshakeMs} ms of server CPU (median of ${count})`)
  const file = join(tmpdir(), 'ssh-transport.json')
  writeFileSync(file, JSON.stringify({ megabytes: Number(values.mb), rows, handshakeMs }, undefined, 2))
  console.log(file)
}

function row(name: string, all: readonly Sample[], bytes: number) {
  const perGigabyte = all.map(({ cpuSeconds }) => (cpuSeconds / bytes) * 1e9)
  const megabytesPerSecond = all.map(({ wallSeconds }) => bytes / 1e6 / wallSeconds)
  return {
    name,
    'CPU s/GB': round2(median(perGigabyte)),
    least: round2(Math.min(...perGigabyte)),
    most: round2(Math.max(...perGigabyte)),
    'MB/s': Math.round(median(megabytesPerSecond)),
  }
}

const round2 = (value: number) => Math.round(value * 100) / 100

/** Server CPU and wall time of one job. */
async function timed(server: ChildProcess, job: () => Promise<void>): Promise<Sample> {
  const before = await cpuSecondsOf(server)
  const started = performance.now()
  await job()
  const wallSeconds = (performance.now() - started) / 1_000
  return { cpuSeconds: (await cpuSecondsOf(server)) - before, wallSeconds }
}

async function cpuSecondsOf(server: ChildProcess): Promise<number> {
  server.send('cpu')
  const usage = await answer(server)
  return (numberIn(usage, 'user') + numberIn(usage, 'system')) / 1e6
}

async function answer(server: ChildProcess): Promise<unknown> {
  const [message]: unknown[] = await once(server, 'message')
  return message
}

function numberIn(message: unknown, field: string): number {
  const value: unknown = typeof message === 'object' && message !== null ? Reflect.get(message, field) : undefined
  if (typeof value !== 'number') throw new TypeError(`the server's message has no number '${field}'`)
  return value
}

async function drain(port: number, bytes: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.resume()
  socket.write(String(bytes))
  await once(socket, 'end')
}

async function run(command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${command} ended with ${code}`)
}

await measure()

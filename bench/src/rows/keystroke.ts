// Latency of single keystrokes through a terminal of the device in raw mode: from the write to the echo.
import type { ChildProcess } from 'node:child_process'
import { interleave } from '../measure/interleave.ts'
import type { BenchOptions } from '../options.ts'
import type { Row, Target } from '../row.ts'
import { inScene } from '../site/scene.ts'
import type { SshClient, Way } from '../ssh-client.ts'
import { pairedRatios, percentile, spreadOf } from '../measure/statistics.ts'
import { TARGETS } from '../targets.ts'

const KEYSTROKES_PER_REPEAT = 400
const WAYS = ['bowline', 'jump', 'sshd'] as const satisfies readonly Way[]
const ECHO_TIMEOUT_MS = 10_000

export function measureKeystroke(options: BenchOptions): Promise<Row[]> {
  return inScene(options, 'keystroke', async ({ ssh }) => {
    await using terminals = new AsyncDisposableStack()
    const all = new Map<string, number[][]>(WAYS.map((way) => [way, []]))
    const candidates = []
    for (const way of WAYS) {
      const terminal = terminals.use(await openTerminal(ssh, way))
      candidates.push({
        name: way,
        async measure() {
          const times: number[] = []
          for (let index = 0; index < KEYSTROKES_PER_REPEAT; index += 1) times.push(await terminal.echo())
          all.get(way)?.push(times)
          return percentile(times, 0.5)
        },
      })
    }
    await interleave(candidates, options.repeats, (way, ms) => options.say(`keystroke ${way}: p50 ${ms.toFixed(3)} ms`))
    return (['jump', 'sshd'] as const).flatMap((peer) => ([0.5, 0.99] as const).map((share) => rowOf(all, peer, share)))
  })
}

function rowOf(all: ReadonlyMap<string, readonly number[][]>, peer: 'jump' | 'sshd', share: 0.5 | 0.99): Row {
  const name = share === 0.5 ? 'p50' : 'p99'
  // Without the warm-up round.
  const ofEachRound = (way: string): number[] => (all.get(way) ?? []).slice(1).map((times) => percentile(times, share))
  const [ours, theirs] = [ofEachRound('bowline'), ofEachRound(peer)]
  const target: Target | undefined = peer === 'jump' ? TARGETS.keystroke[name] : undefined
  return {
    id: `keystroke.${name}.${peer}`,
    work: `keystroke echo, ${name}`,
    peer: peer === 'jump' ? 'ssh -J' : 'sshd',
    unit: 'ratio',
    measured: spreadOf(pairedRatios(ours, theirs)),
    ...(target ? { target } : {}),
    note: `${spreadOf(ours).median.toFixed(3)} to ${spreadOf(theirs).median.toFixed(3)} ms`,
    samples: { [`bowline ${name} ms`]: ours, [`${peer} ${name} ms`]: theirs },
  }
}

export interface Terminal extends AsyncDisposable {
  /** Types one character and waits for its echo; milliseconds. */
  echo(): Promise<number>
}

/** A terminal of the device in raw mode, echoed by `cat`. */
export async function openTerminal(ssh: SshClient, way: Way): Promise<Terminal> {
  // cat echoes its input; the terminal itself neither edits nor echoes.
  const child = ssh.start(way, 'stty raw -echo; echo ready; exec cat', ['-tt'])
  const { stdin, stdout } = child
  if (!stdin || !stdout) throw new Error('ssh has no pipes')
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text))
  stdin.on('error', () => undefined)
  let arrived: (bytes: Buffer) => void = () => undefined
  stdout.on('data', (bytes: Buffer) => arrived(bytes))
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`ssh to ${way} ended with ${code}: ${said.trim()}`)))
  })
  ended.catch(() => undefined)
  const until = (happens: Promise<void>): Promise<void> => {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(new Error(`ssh to ${way} does not answer`)), ECHO_TIMEOUT_MS)
    return Promise.race([happens, ended, late.promise]).finally(() => clearTimeout(timer))
  }
  let greeting = ''
  await until(
    new Promise((resolve) => {
      arrived = (bytes) => {
        greeting += bytes.toString()
        if (greeting.endsWith('ready\n')) resolve()
      }
    }),
  )
  return {
    async echo() {
      let echoedAt = 0
      const startedAt = performance.now()
      await until(
        new Promise((resolve) => {
          arrived = () => {
            echoedAt = performance.now()
            resolve()
          }
          stdin.write('x')
        }),
      )
      return echoedAt - startedAt
    },
    [Symbol.asyncDispose]: () => end(child),
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.stdin?.end()
  child.kill('SIGTERM')
  await ended
}

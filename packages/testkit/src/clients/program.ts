// Runs a job with a client that has a command line.
import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import type { Place } from '../place.ts'
import type { Job, JobResult, Task } from './job.ts'
import { connectThroughSocks } from './socks.ts'

export interface Invocation {
  readonly file: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Standard input, whole. */
  readonly input?: Uint8Array
  /** Answers by prompt, for a client that prompts on stderr and reads its input; each is sent after its prompt. */
  readonly answers?: Readonly<Record<string, string>>
}

export interface Program {
  readonly place: Place
  /** The command line for a job; may prepare files for it. */
  invocation(job: Job): Invocation
}

/** Remote command of a client that only holds a forward: prints that it is ready and runs until its input ends. */
export const STAY = 'echo ready; cat >/dev/null'

type Forward = Extract<Task, { listen: unknown }>

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** @throws {Error} when the client cannot be started, or a forward is never established */
export async function runProgram(program: Program, job: Job, timeoutMs = 30_000): Promise<JobResult> {
  const { file, args, env = {}, input = new Uint8Array(), answers } = program.invocation(job)
  // In a new process session, so that no client prompts on the terminal the tests were started from.
  const child = spawn(...program.place.command(file, args), {
    detached: true,
    timeout: timeoutMs,
    env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', LANG: 'C.UTF-8', TERM: 'xterm', ...env },
  })
  const ended = collect(child)
  child.stdin.on('error', () => undefined)
  const { task } = job
  if (answers) answerPrompts(child, answers)
  if (!('listen' in task)) {
    if (!answers) child.stdin.end(input)
    const { stdout, ...rest } = await ended
    const result = task.kind === 'sftp' && rest.code === 0 ? readFileSync(task.back) : stdout
    return { ...rest, stdout: stdout.toString().slice(0, 4_000), sha256: sha256(result) }
  }
  try {
    const early = ended.then(({ code, stderr }) => Promise.reject(new Error(`ended with ${code}: ${stderr}`)))
    const back = await Promise.race([once(child.stdout, 'data').then(() => sendThrough(task)), early])
    child.stdin.end()
    const { stdout, ...rest } = await ended
    return { ...rest, stdout: stdout.toString(), sha256: sha256(back) }
  } finally {
    child.kill('SIGKILL')
  }
}

async function collect(child: ChildProcessWithoutNullStreams) {
  const stdout: Buffer[] = []
  let stderr = ''
  child.stdout.on('data', (bytes: Buffer) => stdout.push(bytes))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [code] = await new Promise<[number | null]>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve([code]))
  })
  return { code, stdout: Buffer.concat(stdout), stderr }
}

/** Closes the input after the last answer. */
function answerPrompts(child: ChildProcessWithoutNullStreams, answers: Readonly<Record<string, string>>): void {
  const left = Object.entries(answers)
  let said = ''
  child.stderr.on('data', (text: string) => {
    said += text
    for (let [next] = left; next && said.includes(next[0]); [next] = left) {
      said = said.slice(said.indexOf(next[0]) + next[0].length)
      child.stdin.write(`${next[1]}\n`)
      left.shift()
    }
    if (left.length === 0) child.stdin.end()
  })
}

async function sendThrough(task: Forward): Promise<Buffer> {
  const socket = await entrance(task)
  const parts: Buffer[] = []
  socket.on('data', (part: Buffer) => parts.push(part))
  socket.end(readFileSync(task.send))
  await once(socket, 'end')
  return Buffer.concat(parts)
}

async function entrance(task: Forward): Promise<Socket> {
  if (task.kind === 'socks') return connectThroughSocks(task.listen, task.to)
  const socket = typeof task.listen === 'number' ? connect(task.listen, '127.0.0.1') : connect(task.listen)
  await once(socket, 'connect')
  return socket
}

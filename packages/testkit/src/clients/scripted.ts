// A client library driven by one of our scripts: it reads all jobs as JSON on stdin, runs them sequentially in one
// process, and prints one line of JSON per job: `{ id, result }` or `{ id, error }`.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Place } from '../place.ts'
import type { Job, JobResult } from './job.ts'

export interface Script {
  readonly place: Place
  /** Interpreter, and the arguments in front of the script's text. */
  readonly interpreter: readonly [file: string, ...args: string[]]
  /** Path of the script. Its text is passed as an argument: the place need not see this checkout. */
  readonly path: string
}

export type ScriptOutcome = { readonly result: JobResult } | { readonly error: string }

/** Outcome of each job by its id: an error with the script's output if it ended too early. */
export async function runScript(script: Script, jobs: readonly Job[]): Promise<Map<string, ScriptOutcome>> {
  const [file, ...args] = script.interpreter
  const child = spawn(...script.place.command(file, [...args, readFileSync(script.path, 'utf8')]), {
    env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', LANG: 'C.UTF-8' },
    timeout: 60_000,
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  child.stdin.on('error', () => undefined)
  child.stdin.end(JSON.stringify(jobs))
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const outcomes = new Map<string, ScriptOutcome>()
  for (const { id } of jobs) outcomes.set(id, { error: `the script ended before with ${String(code)}: ${stderr}` })
  for (const line of stdout.split('\n').filter((text) => text !== '')) {
    const outcome = JSON.parse(line) as ScriptOutcome & { id: string }
    outcomes.set(outcome.id, outcome)
  }
  return outcomes
}

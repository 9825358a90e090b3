// Runs an ssh that answers keyboard-interactive prompts and records them.
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finish, sourceOptions, type SshResult, type SshTarget } from './ssh.ts'

export interface Answered extends SshResult {
  /** Prompts in order, without ssh's own `(user@host) ` prefix. */
  readonly asked: readonly string[]
}

/** @param answers keyed by the end of a prompt */
export async function answerQuestions(
  target: SshTarget,
  answers: Readonly<Record<string, string>>,
  command: string,
  options: readonly string[] = [],
): Promise<Answered> {
  const folder = mkdtempSync(join(tmpdir(), 'bowline-e2e-asked-'))
  const log = join(folder, 'log')
  const askpass = join(folder, 'askpass')
  const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
  const cases = Object.entries(answers).map(([question, answer]) => `*${quoted(question)}) echo ${quoted(answer)};;`)
  writeFileSync(askpass, `#!/bin/sh\nprintf '%s\\n' "$1" >> '${log}'\ncase "$1" in\n${cases.join('\n')}\nesac\n`)
  chmodSync(askpass, 0o755)
  const settings = [
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'LogLevel=INFO',
    'PreferredAuthentications=keyboard-interactive',
    'NumberOfPasswordPrompts=1',
    ...options,
  ].flatMap((option) => ['-o', option])
  const where = [...sourceOptions(target), '-p', String(target.port), `${target.login}@${target.host}`, command]
  const child = spawn('setsid', ['--wait', 'ssh', '-F', 'none', ...settings, ...where], {
    env: { PATH: process.env['PATH'] ?? '', SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force', LANG: 'C.UTF-8' },
  })
  const result = await finish(child)
  const output = existsSync(log) ? readFileSync(log, 'utf8') : ''
  rmSync(folder, { recursive: true })
  return {
    ...result,
    asked: output
      .split('\n')
      .slice(0, -1)
      .map((line) => line.replace(/^\(.*?\) /, '')),
  }
}

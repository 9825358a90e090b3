// Runs commands in tests and captures their output.
import { expect } from 'vitest'
import { runCommand } from './program.ts'

export interface Ran {
  readonly status: number
  readonly out: string
  readonly errors: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** @param env called for each command */
export function commandLine(env: () => Environment) {
  async function run(args: readonly string[], input = '', settings = env()): Promise<Ran> {
    const [out, errors]: [string[], string[]] = [[], []]
    const status = await runCommand(args, {
      env: settings,
      read: () => Promise.resolve(input),
      print: (line) => out.push(line),
      complain: (line) => errors.push(line),
    })
    return { status, out: out.join('\n'), errors: errors.join('\n') }
  }
  /** Runs a command that must succeed. @returns its output */
  async function bowline(line: string, input = ''): Promise<string> {
    const ran = await run(line.split(' '), input)
    expect([line, ran.status, ran.errors]).toEqual([line, 0, ''])
    return ran.out
  }
  return {
    run,
    bowline,
    json: async (line: string): Promise<unknown> => JSON.parse(await bowline(`${line} --json`)),
    /** Runs a command that must fail. @returns exit status and error output */
    refusal: async (line: string): Promise<[number, string]> => {
      const { status, out, errors } = await run(line.split(' '))
      expect(out).toBe('')
      return [status, errors]
    },
  }
}

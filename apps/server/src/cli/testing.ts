// For tests of commands: types them, and reads what they print.
import { expect } from 'vitest'
import { runCommand } from './program.ts'

export interface Ran {
  readonly status: number
  readonly out: string
  readonly errors: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** @param env asked for at each command */
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
  /** A command that goes well. @returns what it printed */
  async function bowline(line: string, input = ''): Promise<string> {
    const ran = await run(line.split(' '), input)
    expect([line, ran.status, ran.errors]).toEqual([line, 0, ''])
    return ran.out
  }
  return {
    run,
    bowline,
    json: async (line: string): Promise<unknown> => JSON.parse(await bowline(`${line} --json`)),
    /** A command that does not. @returns status and complaint */
    refusal: async (line: string): Promise<[number, string]> => {
      const { status, out, errors } = await run(line.split(' '))
      expect(out).toBe('')
      return [status, errors]
    },
  }
}

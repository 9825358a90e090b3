// The service commands of the agent's program: their arguments and exit statuses.
import { parseArgs } from 'node:util'
import { ConfigError, SETTINGS } from '@bowline/contract/config'
import { install, settingsIn, uninstall } from './install.ts'
import { ServiceError } from './manager.ts'
import { packageInstalled } from './packaged.ts'
import type { Settings } from './settings-file.ts'
import { returnFromTrial, update } from './update-command.ts'
import { describeStatus, exitCodeOf, serviceStatus } from './status.ts'

export const SERVICE_COMMANDS = ['install', 'uninstall', 'status', 'update', 'return', 'package-installed'] as const
export type ServiceCommand = (typeof SERVICE_COMMANDS)[number]

/** Settings allowed as arguments: every user of a machine can read the arguments of its processes. */
const FLAGS = Object.entries(SETTINGS).flatMap(([name, spec]) =>
  spec.programs.some((program) => program === 'agent') && !('secret' in spec) ? [name] : [],
)
const flagOf = (setting: string): string => setting.replace('BOWLINE_', '').toLowerCase().replaceAll('_', '-')

export function isServiceCommand(word: string | undefined): word is ServiceCommand {
  return SERVICE_COMMANDS.some((command) => command === word)
}

/**
 * @param env may hold settings too
 * @returns the exit status: 0 done, 1 not possible here, 2 wrong arguments or settings; for `status` see there
 */
export function serviceCommand(
  command: ServiceCommand,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): number {
  try {
    switch (command) {
      case 'install':
        install({ ...settingsIn(env), ...flags(args) }, say)
        return 0
      case 'uninstall':
        uninstall(parse(args, { 'remove-key': { type: 'boolean' } })['remove-key'] === true, say)
        return 0
      case 'update':
        parse(args, {})
        update(say)
        return 0
      case 'package-installed':
        parse(args, {})
        packageInstalled(say)
        return 0
      case 'return':
        return returnFromTrial(args[0] ?? '', env)
      case 'status': {
        const { json } = parse(args, { json: { type: 'boolean' } })
        const status = serviceStatus()
        process.stdout.write(json === true ? `${JSON.stringify(status)}\n` : describeStatus(status))
        return exitCodeOf(status)
      }
    }
  } catch (error) {
    if (error instanceof ServiceError) return fail(error.message, 1)
    if (error instanceof ConfigError) return fail(error.problems.join('\n'), 2)
    if (error instanceof RangeError || error instanceof TypeError) return fail(error.message, 2)
    throw error
  }
}

function flags(args: readonly string[]): Settings {
  const options = Object.fromEntries(FLAGS.map((name) => [flagOf(name), { type: 'string' as const }]))
  const values = parse(args, options)
  return Object.fromEntries(
    FLAGS.flatMap((name) => {
      const value = values[flagOf(name)]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
}

/** @throws {TypeError} naming an unknown argument */
function parse(args: readonly string[], options: Record<string, { type: 'string' | 'boolean' }>) {
  return parseArgs({ args: [...args], options, strict: true }).values
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function fail(message: string, status: number): number {
  process.stderr.write(`${message}\n`)
  return status
}

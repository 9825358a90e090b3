// `bowline check`: problems that would make a start of the server fail.
import type { Command } from 'commander'
import { systemClock } from '@bowline/base/clock'
import { checkEverything } from '../checks/all.ts'
import { type Format, type Terminal, show } from './terminal.ts'

export function addCheckCommand(program: Command, terminal: Terminal): void {
  program
    .command('check')
    .description('Check settings, database, certificate, ports, disk and domain as a start would, and change nothing')
    .option('--json', 'print JSON')
    .action(async (format: Format) => {
      const findings = await checkEverything(terminal.env, systemClock.now())
      const lines = findings.flatMap(({ status, check, message, remedy }) => [
        `${status.padEnd(4)}  ${check}: ${message}`,
        ...(remedy === '' ? [] : [`      ${remedy}`]),
      ])
      show(terminal, format, findings, lines)
      const failed = findings.filter(({ status }) => status === 'fail').length
      if (failed > 0) throw new Error(`${failed} of ${findings.length} checks failed.`)
    })
}

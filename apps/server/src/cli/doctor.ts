// `bowline doctor`: what would make a start of the server fail, and what is wrong with the installation that is there.
import type { Command } from 'commander'
import { systemClock } from '@bowline/base/clock'
import { checkEverything } from '../checks/all.ts'
import { ExitStatus, type Format, type Terminal, show } from './terminal.ts'

const FAILED = 1
const ONLY_WARNINGS = 3

export function addDoctorCommand(program: Command, terminal: Terminal): void {
  program
    .command('doctor')
    .alias('check')
    .description(
      'Say what is wrong with settings, database, keys, certificate, network, disk and devices; change nothing',
    )
    .option('--json', 'print JSON')
    .action(async (format: Format) => {
      const findings = await checkEverything(terminal.env, systemClock.now())
      const lines = findings.flatMap(({ status, check, message, remedy }) => [
        `${status.padEnd(4)}  ${check}: ${message}`,
        ...(remedy === '' ? [] : [`      ${remedy}`]),
      ])
      show(terminal, format, findings, lines)
      const count = (wanted: string): number => findings.filter(({ status }) => status === wanted).length
      const [failed, warned] = [count('fail'), count('warn')]
      if (failed > 0) throw new ExitStatus(FAILED, `${failed} of ${findings.length} checks failed.`)
      if (warned > 0) throw new ExitStatus(ONLY_WARNINGS, `${warned} of ${findings.length} checks have a warning.`)
    })
}

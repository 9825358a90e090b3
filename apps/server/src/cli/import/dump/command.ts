// `bowline import dump`: what is printed about a dump that was read.
import type { Command } from 'commander'
import { type Format, type Terminal, show, table } from '../../terminal.ts'
import { readMapFile } from './map-file.ts'
import { type DumpReport, readDump } from './read.ts'

interface DumpCommandOptions extends Format {
  readonly to: string
  readonly map?: string
}

/** Lines about single things that are printed; `--json` has all. */
const SHOWN = 200

/** @param command the command `bowline import` */
export function addDumpCommand(command: Command, terminal: Terminal): void {
  command
    .command('dump <file>')
    .description('Read a dump of the database of the old server into files: its accounts, and each of its namespaces')
    .requiredOption('--to <folder>', 'folder to write; accounts.json in it has hashes of passwords')
    .option('--map <file>', 'JSON with the names of tables and columns that are not recognised')
    .option('--json', 'print JSON')
    .action(async (file: string, { to, map, ...format }: DumpCommandOptions) => {
      const report = await readDump(file, { to, names: await readMapFile(map), now: Date.now })
      show(terminal, format, report, linesOf(report))
    })
}

function linesOf({ accounts, namespaces, notes, unreadable, tables }: DumpReport): string[] {
  const taken = tables.filter(({ kind }) => kind !== undefined)
  const others = tables.filter(({ kind }) => kind === undefined)
  const lines = [...notes, ...unreadable]
  return [
    `Read ${accounts.accounts} accounts into ${accounts.file}.`,
    ...table(
      ['NAMESPACE', 'MEMBERS', 'DEVICES', 'KEYS', 'RULES', 'API KEYS', 'FILE'],
      namespaces.map(({ name, counts: { members, devices, public_keys, firewall_rules, api_keys }, file }) => {
        return [name, ...[members, devices, public_keys, firewall_rules, api_keys].map(String), file]
      }),
    ),
    '',
    ...table(
      ['TABLE', 'IS', 'ROWS', 'COLUMNS NOT TAKEN'],
      [
        ...taken.map(({ name, kind, rows, ignored }) => [name, kind ?? '', String(rows), ignored.join(', ')]),
        ...others.map(({ name, rows }) => [name, 'not taken', String(rows), '']),
      ],
    ),
    ...(lines.length === 0
      ? []
      : [
          '',
          ...table(
            ['WHAT', 'NAME', 'DOES NOT COME'],
            lines.slice(0, SHOWN).map(({ what, name, reason }) => [what, name, reason]),
          ),
        ]),
    ...(lines.length > SHOWN ? [`… and ${lines.length - SHOWN} more, which --json prints.`] : []),
  ]
}

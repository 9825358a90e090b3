// `bowline import …`: moves namespaces of a ShellHub server here, and its accounts.
import type { Command } from 'commander'
import { type Format, type Terminal, show, table } from '../terminal.ts'
import { importAccounts } from './accounts.ts'
import { PARTS, applyFile } from './apply.ts'
import { addDumpCommand } from './dump/command.ts'
import { fetchNamespace } from './fetch.ts'
import type { ImportFile } from './file.ts'
import { credentialIn, oldOrigin, openOldServer } from './old-server.ts'
import { showLines, showReport } from './report.ts'

interface FetchCommandOptions extends Format {
  readonly tokenFile: string
  readonly to: string
  readonly tenant?: string
  readonly allowHttp?: boolean
}

interface ApplyCommandOptions extends Format {
  readonly dryRun?: boolean
  readonly create?: boolean
  readonly newId?: boolean
  readonly loseRules?: boolean
  readonly without: readonly string[]
}

interface AccountsCommandOptions extends Format {
  readonly dryRun?: boolean
}

const collect = (one: string, all: readonly string[]): string[] => [...all, one]

export function addImportCommands(program: Command, terminal: Terminal): void {
  const command = program
    .command('import')
    .description('Move namespaces and accounts from a ShellHub server to this one')

  command
    .command('fetch <server>')
    .description('Read a namespace of the old server into a file; if it is broken off, the next one goes on')
    .requiredOption('--token-file <file>', 'file with a token or an API key of the old server')
    .requiredOption('--to <file>', 'file to write; it has names and addresses, but no secrets')
    .option('--tenant <id>', 'id of the namespace, where the API key does not tell it')
    .option('--allow-http', 'also without TLS, where everybody on the way reads the token')
    .option('--json', 'print JSON')
    .action(async (typed: string, { tokenFile, to: file, tenant, allowHttp, ...format }: FetchCommandOptions) => {
      const server = openOldServer(oldOrigin(typed, allowHttp === true), await credentialIn(tokenFile))
      const tell = (line: string): void => terminal.complain(line)
      const content = await fetchNamespace(server, { file, tenant, tell, now: Date.now })
      const counts = countsOf(content)
      const { unreadable, notes, namespace } = content
      show(terminal, format, { file, namespace, ...counts, unreadable, notes }, [
        `Read ${namespace.name} (${namespace.tenant_id}) into ${file}.`,
        ...table(
          ['WHAT', 'READ'],
          Object.entries(counts).map(([what, count]) => [what.replace('_', ' '), String(count)]),
        ),
        ...unreadable.map(({ what, name, reason }) => `Cannot be read: ${what} ${name}: ${reason}.`),
        ...notes,
      ])
    })

  addDumpCommand(command, terminal)

  command
    .command('accounts <file>')
    .description('Make the accounts of a dump, with their passwords; on the host of the server. Twice is as once')
    .option('--dry-run', 'only tell what would be done')
    .option('--json', 'print JSON')
    .action(async (file: string, { dryRun, ...format }: AccountsCommandOptions) => {
      const report = await importAccounts(terminal, file, dryRun === true)
      showLines(terminal, format, report, `${dryRun ? 'Would import' : 'Imported'} accounts.`)
    })

  command
    .command('apply <file>')
    .description(
      'Import the file into the namespace with its id, of which you are owner or administrator; twice is as once',
    )
    .option('--dry-run', 'only tell what would be done')
    .option('--create', 'create the namespace, with its name and id there, if you are in none with that id')
    .option('--new-id', 'import into the namespace that you are signed in to: every agent needs its id then')
    .option('--lose-rules', 'also if firewall rules that deny cannot come: what they deny is allowed then')
    .option('--without <part>', `leave out one of ${PARTS.join(', ')}; may be repeated`, collect, [])
    .option('--json', 'print JSON')
    .action(async (file: string, { dryRun, create, newId, loseRules, without, ...format }: ApplyCommandOptions) => {
      const choices = { isDryRun: dryRun === true, create: create === true, newId: newId === true }
      showReport(
        terminal,
        format,
        await applyFile(terminal, file, { ...choices, without, losesRules: loseRules === true }),
      )
    })
}

function countsOf({ devices, public_keys, firewall_rules, members, api_keys }: ImportFile) {
  return {
    devices: devices.length,
    public_keys: public_keys.length,
    firewall_rules: firewall_rules.length,
    members: members.length,
    api_keys: api_keys.length,
  }
}

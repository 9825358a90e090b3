// `bowline …`: every command of the server program.
import { ConfigError } from '@bowline/contract/config'
import { Command, CommanderError } from 'commander'
import { VERSION } from '../platform/version.ts'
import { addAuditCommands } from './administration/audit.ts'
import { addPeopleCommands } from './administration/people.ts'
import { addAnnouncementCommands } from './announcements.ts'
import { addApiKeyCommands } from './api-keys.ts'
import { addInstallKeyCommands } from './install-keys.ts'
import { addArchiveCommands } from './archives.ts'
import { addCertificateCommands } from './installation/certificate.ts'
import { addBillingCommands } from './cloud/billing.ts'
import { plainText } from '../gateway/record/announcement.ts'
import { addImportCommands } from './import/commands.ts'
import { addLoginCommands } from './client/login.ts'
import { addSessionCommands } from './client/sessions.ts'
import { addAlertCommands } from './client/alerts.ts'
import { addAuditStreamCommands } from './client/audit-streams.ts'
import { addRoleCommands } from './client/roles/roles.ts'
import { addFirewallCommands } from './client/firewall/commands.ts'
import { addUpdateCommands } from './client/updates.ts'
import { addSnippetCommands } from './client/snippets.ts'
import { addJobCommands } from './client/device-jobs/jobs.ts'
import { addTagRuleCommands } from './client/tag-rules/tag-rules.ts'
import { addViewCommands } from './client/views.ts'
import { addDeviceCommands } from './devices/devices.ts'
import { addDoctorCommand } from './doctor.ts'
import { addMailCommands } from './mail.ts'
import { addAccountExport } from './accounts/export.ts'
import { addExportCommand } from './namespaces/export.ts'
import { addLeavingCommands } from './namespaces/leaving.ts'
import { addNamespaceCommands } from './namespaces/namespaces.ts'
import { addIdentityCommands } from './accounts/identities.ts'
import { addNodeCommands } from './installation/nodes.ts'
import { addPasskeyCommands } from './accounts/passkeys.ts'
import { addPublicKeyCommands } from './public-keys.ts'
import { addRecordingCommands } from './recordings.ts'
import { plainTerminal } from './plain-terminal.ts'
import { ExitStatus, type Terminal } from './terminal.ts'
import { addFactorCommands } from './accounts/factors.ts'
import { addScimCommands } from './scim.ts'
import { addConnectorCommands } from './connectors.ts'
import { addTunnelCommands } from './tunnels.ts'
import { addSignInCommands } from './accounts/sign-in.ts'
import { addUserCommands } from './accounts/users.ts'

const FAILED = 1
const MISUSED = 2

/**
 * Runs one command.
 * @param args as typed, without the program's name
 * @returns exit status: 0; 1 when the command failed; 2 for wrong arguments or settings; that of an {@link ExitStatus}
 */
export async function runCommand(args: readonly string[], raw: Terminal): Promise<number> {
  const terminal = plainTerminal(raw)
  const program = new Command('bowline').description('SSH to any device behind any network').version(VERSION)
  const write = (print: (line: string) => void) => (text: string) => print(text.replace(/\n$/, ''))
  // Set before the commands are added, since they inherit both from the program.
  program.exitOverride().configureOutput({
    writeOut: write((line) => terminal.print(line)),
    writeErr: write((line) => terminal.complain(line)),
  })
  program
    .command('server')
    .description('Run the server: API, console and SSH gateway (settings: BOWLINE_* in the environment)')
    // Loaded here: no other command needs the gateway, the link and the HTTP server.
    .action(async () => (await import('./server.ts')).runServer(terminal.env))
  program
    .command('agent', { hidden: true })
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() =>
      refuse('the agent is a program of its own; the command that the console shows installs it on a device'),
    )
  addLoginCommands(program, terminal)
  addSessionCommands(program, terminal)
  addFirewallCommands(program, terminal)
  addAlertCommands(program, terminal)
  addAuditStreamCommands(program, terminal)
  addRoleCommands(program, terminal)
  addUpdateCommands(program, terminal)
  addViewCommands(program, terminal)
  addSnippetCommands(program, terminal)
  addTagRuleCommands(program, terminal)
  addJobCommands(program, terminal)
  addImportCommands(program, terminal)
  addDoctorCommand(program, terminal)
  const user = addUserCommands(program, terminal)
  addAccountExport(user, terminal)
  addPeopleCommands(user, terminal)
  addFactorCommands(user, terminal)
  addPasskeyCommands(user, terminal)
  addIdentityCommands(user, terminal)
  addSignInCommands(program, terminal)
  const namespace = addNamespaceCommands(program, terminal)
  addLeavingCommands(namespace, terminal)
  addExportCommand(namespace, terminal)
  addDeviceCommands(program, terminal)
  addPublicKeyCommands(program, terminal)
  addTunnelCommands(program, terminal)
  addConnectorCommands(program, terminal)
  addScimCommands(program, terminal)
  addBillingCommands(program, terminal)
  addApiKeyCommands(program, terminal)
  addInstallKeyCommands(program, terminal)
  addAnnouncementCommands(program, terminal)
  addAuditCommands(program, terminal)
  addMailCommands(program, terminal)
  addCertificateCommands(program, terminal)
  addNodeCommands(program, terminal)
  addArchiveCommands(program, terminal)
  addRecordingCommands(program, terminal)
  try {
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    // Commander has printed it already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED
    const problems =
      error instanceof ConfigError ? error.problems : [error instanceof Error ? error.message : String(error)]
    for (const problem of problems) terminal.complain(plainText(`bowline: ${problem}`))
    if (error instanceof ExitStatus) return error.status
    return error instanceof ConfigError ? MISUSED : FAILED
  }
}

/** Refuses a command that people may expect here. @throws {ConfigError} always, as misuse */
function refuse(why: string): never {
  throw new ConfigError([why])
}

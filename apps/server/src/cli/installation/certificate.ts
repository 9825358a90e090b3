// `bowline certificate …`: certificates of the server, and a renewal now.
import type { Command } from 'commander'
import { systemClock } from '@bowline/base/clock'
import { readAcmeSettings } from '../../certificates/settings.ts'
import { describe, renewNow } from '../../certificates/service.ts'
import { existingFiles } from '../../checks/existing-files.ts'
import { readConfig } from '../../config.ts'
import { onInstance } from '../instance.ts'
import { type Format, type Terminal, show, table } from '../terminal.ts'

export function addCertificateCommands(program: Command, terminal: Terminal): void {
  const certificate = program.command('certificate').description('Certificates of the server: state and renewal')

  certificate
    .command('list', { isDefault: true })
    .description('Show the certificates, when they end and are renewed, and why the last attempt failed')
    .option('--json', 'print JSON')
    .action(async (format: Format) => {
      const { acme, tls, settings } = await readConfig(terminal.env, existingFiles)
      const isOperators = settings.BOWLINE_TLS_CERT_FILE !== undefined
      await onInstance(terminal, async ({ system: db }) => {
        const state = await describe({ db, clock: systemClock, acme, tls, isOperators })
        const rows = state.certificates.map((one) => [
          one.use,
          one.source,
          one.renewing ? 'renewing' : one.state,
          one.ends_at ?? '-',
          one.renews_at ?? '-',
          one.names.join(' '),
          one.failure,
        ])
        const heads = ['USE', 'SOURCE', 'STATE', 'ENDS', 'NEXT ATTEMPT', 'NAMES', 'LAST FAILURE']
        show(terminal, format, state, table(heads, rows))
      })
    })

  certificate
    .command('renew')
    .description('Get new certificates now; the running server does it')
    .option('--json', 'print JSON')
    .action((format: Format) =>
      onInstance(terminal, async ({ system: db, settings }) => {
        const uses = await renewNow({ db, clock: systemClock, acme: await readAcmeSettings(settings) })
        const line = `The server renews now: ${uses.join(', ')}. “bowline certificate” shows the outcome.`
        show(terminal, format, { renewing: uses }, [line])
      }),
    )
}

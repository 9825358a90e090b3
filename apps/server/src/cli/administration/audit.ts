// `bowline audit export`: the audit logs of all namespaces and of the server itself.
import { ConfigError } from '@bowline/contract/config'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Command } from 'commander'
import { exportedEntries } from '../../administration/audit.ts'
import { auditOrigin } from '../../administration/deps.ts'
import { auditInstance } from '../../audit/service.ts'
import { accountOf } from '../accounts/users.ts'
import { parseTime } from '../arguments.ts'
import { type Instance, onInstance } from '../instance.ts'
import type { Terminal } from '../terminal.ts'
import { BY_OPERATOR } from './deps.ts'

interface ExportOptions {
  readonly format: string
  readonly namespace?: string
  readonly person?: string
  readonly action?: string
  readonly from?: string
  readonly to?: string
}

export function addAuditCommands(program: Command, terminal: Terminal): void {
  program
    .command('audit')
    .description('Audit logs of all namespaces and of the server itself')
    .command('export')
    .description('Print the entries, the newest first')
    .option('--format <format>', 'csv, or jsonl for JSON lines', 'csv')
    .option('--namespace <name>', 'only of this namespace; server for the server itself')
    .option('--person <username>', 'only what this person has done')
    .option('--action <action>', 'only this action, such as device.accept, or all of a noun, such as device')
    .option('--from <time>', 'only from this time on, such as 2030-01-01 or 2030-01-01T12:00:00Z')
    .option('--to <time>', 'only before this time')
    .action((options: ExportOptions) =>
      onInstance(terminal, async (instance) => {
        const { format, namespace, person, action } = options
        if (format !== 'csv' && format !== 'jsonl') throw new ConfigError(['--format must be csv or jsonl.'])
        const filter = {
          ...(namespace === undefined ? {} : { namespace: await tenantOf(instance, namespace) }),
          ...(person === undefined ? {} : { person: (await accountOf(instance, person)).id }),
          ...(action === undefined ? {} : { action }),
          ...timeOf('from', options.from),
          ...timeOf('to', options.to),
        }
        await auditInstance(instance.system, auditOrigin(BY_OPERATOR), 'audit.export', '', { format, ...filter })
        for await (const chunk of exportedEntries(instance.system, filter, format, () => Promise.resolve(true))) {
          terminal.print(chunk.replace(/\r?\n$/, ''))
        }
      }),
    )
}

async function tenantOf(instance: Pick<Instance, 'tenantOf'>, name: string): Promise<TenantId | 'server'> {
  return name === 'server' ? name : instance.tenantOf(name)
}

function timeOf<Name extends 'from' | 'to'>(
  name: Name,
  typed: string | undefined,
): { readonly [Key in Name]?: string } {
  if (typed === undefined) return {}
  return { [name]: parseTime(`--${name}`, typed).toISOString() } as { readonly [Key in Name]?: string }
}

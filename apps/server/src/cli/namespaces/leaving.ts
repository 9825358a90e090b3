// `bowline namespace delete` and `restore`: the end of a namespace, and the way back.
import { systemClock } from '@bowline/base/clock'
import { fail } from '@bowline/contract/errors'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Command } from 'commander'
import { closeNamespace, findClosed, purge, restoreNamespace } from '../../namespaces/closing.ts'
import { findTenant } from '../../namespaces/service.ts'
import { type Instance, onInstance, removalOf } from '../instance.ts'
import { mailQueueOf } from '../accounts/notices.ts'
import { type Format, type Terminal, show } from '../terminal.ts'

/** @param namespace the command `bowline namespace` */
export function addLeavingCommands(namespace: Command, terminal: Terminal): void {
  namespace
    .command('delete <name>')
    .description('Delete a namespace with everything in it; for seven days it can be restored')
    .option('--now', 'remove it for good at once, also one that is deleted already')
    .option('--json', 'print JSON')
    .action((name: string, options: Format & { readonly now?: boolean }) =>
      onInstance(terminal, async (instance) => {
        const tenant = options.now ? await removeNow(instance, name) : await instance.tenantOf(name)
        const until = options.now
          ? null
          : await closeNamespace(instance.system, instance.contextOf(tenant), await mailQueueOf(instance))
        const lines = until
          ? [
              `Deleted the namespace ${name}. Everything of it is kept until ${until.toISOString()}.`,
              `bowline namespace restore ${name} undoes it.`,
            ]
          : [`Removed the namespace ${name} for good.`]
        show(terminal, options, { tenant_id: tenant, name, removed_at: until?.toISOString() ?? null }, lines)
      }),
    )

  namespace
    .command('restore <name>')
    .description('Undo the deletion of a namespace')
    .option('--json', 'print JSON')
    .action((name: string, format: Format) =>
      onInstance(terminal, async (instance) => {
        const { tenant_id: tenant } = await closedNamed(instance, name)
        await restoreNamespace(instance.system, instance.contextOf(tenant), undefined)
        show(terminal, format, { tenant_id: tenant, name }, [`Restored the namespace ${name}.`])
      }),
    )
}

async function removeNow(instance: Instance, name: string): Promise<TenantId> {
  const { system, contextOf } = instance
  const open = await findTenant(system, name)
  if (open) await closeNamespace(system, contextOf(open), await mailQueueOf(instance))
  const { tenant_id: tenant } = await closedNamed(instance, name)
  await purge({ system, clock: systemClock, contextOf, removal: await removalOf(instance) }, tenant)
  return tenant
}

async function closedNamed({ system }: Instance, name: string) {
  return (await findClosed(system, name)) ?? fail('NOT_FOUND', { what: `The deleted namespace ${name}` })
}

// `bowline device …`: devices without an agent, their host keys and what their SSH servers trust.
import { fail } from '@bowline/contract/errors'
import { HostKeyBody } from '@bowline/contract/operations/devices'
import { DeviceUid } from '@bowline/contract/schemas/common'
import type { Device } from '@bowline/contract/schemas/device'
import type { Command } from 'commander'
import { userAuthorityLines } from '../../auth/user-authority/authority.ts'
import { acceptHostKey } from '../../devices/enrolled/host-key.ts'
import { resolveLoginTarget } from '../../devices/presence.ts'
import { get } from '../../devices/service.ts'
import { getNamespaceName } from '../../namespaces/service.ts'
import { parseInput } from '../../platform/input/parse-input.ts'
import { type Instance, onInstance } from '../instance.ts'
import { type Format, type Terminal, show } from '../terminal.ts'

/** Adds the commands. @param device the command `bowline device` */
export function addAgentlessCommands(device: Command, terminal: Terminal): void {
  addAuthorityCommand(device, terminal)
  device
    .command('host-key <namespace> <device>')
    .description('Show the host key of a device without an agent, and the one that it presents instead')
    .option('--json', 'print JSON')
    .action((namespace: string, name: string, format: Format) =>
      onInstance(terminal, async (instance) => {
        const ctx = instance.contextOf(await instance.tenantOf(namespace))
        const found = await get(ctx, await uidOf(instance, namespace, name))
        const { host_key: hostKey = fail('NOT_FOUND', { what: 'The host key of a device without an agent' }) } = found
        show(terminal, format, hostKey, linesOf(hostKey))
      }),
    )
  device
    .command('accept-host-key <namespace> <device> <fingerprint>')
    .description('Accept the other host key that a device without an agent presents, and no other than this one')
    .option('--json', 'print JSON')
    .action((namespace: string, name: string, typed: string, format: Format) =>
      onInstance(terminal, async (instance) => {
        const { fingerprint } = parseInput('body', HostKeyBody, { fingerprint: typed })
        const ctx = instance.contextOf(await instance.tenantOf(namespace))
        const changed = await acceptHostKey(ctx, await uidOf(instance, namespace, name), fingerprint)
        show(terminal, format, changed, [`${changed.name} has the host key ${fingerprint} now. Let it connect again.`])
      }),
    )
}

function addAuthorityCommand(device: Command, terminal: Terminal): void {
  device
    .command('authority <namespace>')
    .description('Show what SSH servers of devices without an agent trust, for logins by registered keys')
    .option('--json', 'print JSON')
    .action((namespace: string, format: Format) =>
      onInstance(terminal, async (instance) => {
        const tenant = await instance.tenantOf(namespace)
        const name = await getNamespaceName(instance.system, tenant)
        const lines = await userAuthorityLines(instance.contextOf(tenant), await instance.secretKey(), name)
        show(terminal, format, lines, [
          '# OpenSSH, as root; then reload sshd',
          ...lines.openssh.commands,
          '# Dropbear: the file of the account; this one is that of root on OpenWrt',
          ...lines.dropbear.commands,
        ])
      }),
    )
}

/** @param device uid, or name of an accepted device @throws {BowlineError} NOT_FOUND */
async function uidOf({ system }: Instance, namespace: string, device: string): Promise<DeviceUid> {
  const uid = DeviceUid.safeParse(device)
  if (uid.success) return uid.data
  const target = await resolveLoginTarget(system, { namespace, device })
  return target?.uid ?? fail('NOT_FOUND', { what: `The accepted device ${device}` })
}

function linesOf({ type, fingerprint, presented }: NonNullable<Device['host_key']>): string[] {
  const other = presented ? [`presented since ${presented.since}: ${presented.fingerprint} ${presented.type}`] : []
  return [`accepted: ${fingerprint} ${type}`, ...other]
}

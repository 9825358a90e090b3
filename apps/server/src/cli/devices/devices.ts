// `bowline device …`: devices of a namespace.
import { ConfigError } from '@bowline/contract/config'
import type { Command } from 'commander'
import { systemClock } from '@bowline/base/clock'
import { addDeviceHealthCommand } from './health.ts'
import { addDeviceListCommand } from '../client/devices.ts'
import { addPairCommand } from './pair.ts'
import { addAgentlessCommands } from './agentless.ts'
import { rejectPending } from '../../devices/pending.ts'
import { parseAge } from '../arguments.ts'
import { onInstance } from '../instance.ts'
import { type Format, type Terminal, show } from '../terminal.ts'

interface Options extends Format {
  readonly allPending?: boolean
  readonly olderThan?: string
}

export function addDeviceCommands(program: Command, terminal: Terminal): void {
  const device = program.command('device').alias('devices').description('Devices of a namespace')
  addDeviceListCommand(device, terminal)
  addDeviceHealthCommand(device, terminal)
  addPairCommand(device, terminal)
  addAgentlessCommands(device, terminal)
  device
    .command('reject <namespace>')
    .description('Reject devices that wait to be accepted')
    .option('--all-pending', 'all of them')
    .option('--older-than <age>', 'those that registered first so long ago: 30m, 12h, 7d')
    .option('--json', 'print JSON')
    .action((name: string, { allPending, olderThan, ...format }: Options) => {
      if (!allPending && olderThan === undefined) {
        throw new ConfigError(['Say which: --all-pending, --older-than <age> or both.'])
      }
      const ageMs = olderThan === undefined ? 0 : parseAge('--older-than', olderThan)
      return onInstance(terminal, async (instance) => {
        const ctx = instance.contextOf(await instance.tenantOf(name))
        const rejected = await rejectPending(ctx, new Date(systemClock.now() - ageMs))
        show(terminal, format, rejected, [
          ...rejected.map((device) => `Rejected ${device.name} (${device.uid}).`),
          `Rejected ${rejected.length} ${rejected.length === 1 ? 'device' : 'devices'} of ${name}.`,
        ])
      })
    })
}

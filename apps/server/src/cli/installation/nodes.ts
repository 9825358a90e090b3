// `bowline node …`: the nodes of the installation.
import type { Command } from 'commander'
import { describeNodes } from '../../nodes/service.ts'
import { onInstance } from '../instance.ts'
import { type Format, type Terminal, show, table } from '../terminal.ts'

export function addNodeCommands(program: Command, terminal: Terminal): void {
  const node = program.command('node').description('Nodes of the installation')

  node
    .command('list', { isDefault: true })
    .description('Show the nodes that run, and those that were lost within a day')
    .option('--json', 'print JSON')
    .action((format: Format) =>
      onInstance(terminal, async ({ system }) => {
        const nodes = await describeNodes(system, '')
        const rows = nodes.map((one) => [
          one.id,
          one.address === '' ? '-' : one.address,
          one.version,
          one.state,
          one.heartbeat_at,
          String(one.links),
          String(one.sessions),
        ])
        const heads = ['NODE', 'ADDRESS', 'VERSION', 'STATE', 'HEARTBEAT', 'LINKS', 'SESSIONS']
        show(terminal, format, { nodes }, table(heads, rows))
      }),
    )
}

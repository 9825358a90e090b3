// `bowline namespace export`: everything of a namespace in one file.
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { audit } from '../../audit/service.ts'
import { type ExportCounts, exportArchive } from '../../exports/archive.ts'
import { getNamespace } from '../../namespaces/service.ts'
import { VERSION } from '../../platform/version.ts'
import { writeArchive } from '../archive-file.ts'
import { onInstance } from '../instance.ts'
import { recordingsOf } from '../recordings.ts'
import { type Format, type Terminal, show } from '../terminal.ts'

/** @param namespace the command `bowline namespace` */
export function addExportCommand(namespace: Command, terminal: Terminal): void {
  namespace
    .command('export <name>')
    .description('Write everything of a namespace to a new file; the server may go on')
    .requiredOption('--to <file>', 'the file, a compressed tar archive')
    .option('--json', 'print JSON')
    .action((name: string, options: Format & { readonly to: string }) =>
      onInstance(terminal, async (instance) => {
        const file = resolve(options.to)
        const tenant = await instance.tenantOf(name)
        const ctx = instance.contextOf(tenant)
        const { recordings } = await recordingsOf(instance)
        const counts: ExportCounts = { rows: {}, recordings: 0, left: 0 }
        await audit(ctx, 'namespace.export', tenant)
        const source = {
          ctx,
          namespace: await getNamespace(instance.system, tenant),
          recordings,
          keys: [...recordings.key.periods],
          version: VERSION,
          folder: dirname(file),
        }
        await writeArchive(file, exportArchive(source, counts))
        const rows = Object.values(counts.rows).reduce((sum, count) => sum + count, 0)
        const { left } = counts
        show(terminal, options, { file, ...counts }, [
          `Wrote ${rows} rows and ${counts.recordings} recordings to ${file}.`,
          ...(left === 0 ? [] : [`${left} recordings could not be read: recordings-left-out.jsonl in it says why.`]),
        ])
      }),
    )
}

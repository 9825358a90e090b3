// `bowline announcement …`: announcements of the operator to everybody.
import type { Command } from 'commander'
import { create, list, remove } from '../announcements/service.ts'
import { onInstance } from './instance.ts'
import { type Format, type Terminal, show, table } from './terminal.ts'

/** Upper bound of the listing, above any real number; a page of the API has at most 100. */
const LISTED = 1_000

export function addAnnouncementCommands(program: Command, terminal: Terminal): void {
  const announcement = program.command('announcement').description('Announcements to everybody')

  announcement
    .command('create <title> <content>')
    .description('Publish an announcement; content in Markdown, - reads it from stdin')
    .option('--json', 'print JSON')
    .action(async (title: string, given: string, format: Format) => {
      const content = given === '-' ? await terminal.read() : given
      await onInstance(terminal, async ({ system, ids }) => {
        const uuid = await create(system, ids, title, content)
        show(terminal, format, { uuid, title }, [uuid])
      })
    })

  announcement
    .command('list')
    .description('List the announcements, the newest first')
    .option('--json', 'print JSON')
    .action((format: Format) =>
      onInstance(terminal, async ({ system }) => {
        const { items } = await list(system, { page: 1, per_page: LISTED, order_by: 'desc' })
        const rows = items.map(({ uuid, date, title }) => [uuid, date, title])
        show(terminal, format, items, table(['UUID', 'DATE', 'TITLE'], rows))
      }),
    )

  announcement
    .command('delete <uuid>')
    .description('Take an announcement back')
    .option('--json', 'print JSON')
    .action((uuid: string, format: Format) =>
      onInstance(terminal, async ({ system }) => {
        await remove(system, uuid)
        show(terminal, format, { uuid }, [`Deleted the announcement ${uuid}.`])
      }),
    )
}

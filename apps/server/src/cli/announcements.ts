// `bowline announcement …`: announcements of the operator to everybody.
import { systemClock } from '@bowline/base/clock'
import { AnnouncementChange, AnnouncementFields } from '@bowline/contract/schemas/announcement'
import type { Command } from 'commander'
import { type AnnouncementDeps, create, listAll, remove, update } from '../announcements/service.ts'
import { parseInput } from '../platform/input/parse-input.ts'
import { type Instance, onInstance } from './instance.ts'
import { type Format, type Terminal, show, table } from './terminal.ts'

/** Upper bound of the listing, above any real number; a page of the API has at most 100. */
const LISTED = 1_000

interface Times {
  readonly at?: string
  readonly until?: string
}

interface Changes extends Times {
  readonly title?: string
  readonly content?: string
}

const depsOf = ({ system, ids }: Instance): AnnouncementDeps => ({ system, ids, clock: systemClock })

export function addAnnouncementCommands(program: Command, terminal: Terminal): void {
  const announcement = program.command('announcement').description('Announcements to everybody')
  const contentOf = async (given: string): Promise<string> => (given === '-' ? terminal.read() : given)

  announcement
    .command('create <title> <content>')
    .description('Publish an announcement; content in Markdown, - reads it from stdin')
    .option('--at <time>', 'show it from then on, such as 2026-11-23T12:00:00Z')
    .option('--until <time>', 'show it until then')
    .option('--json', 'print JSON')
    .action(async (title: string, given: string, { at, until, ...format }: Format & Times) => {
      const content = await contentOf(given)
      await onInstance(terminal, async (instance) => {
        const fields = parseInput('body', AnnouncementFields, { title, content, date: at, ends_at: until })
        const made = await create(depsOf(instance), fields)
        show(terminal, format, { uuid: made.uuid, title: made.title }, [made.uuid])
      })
    })

  announcement
    .command('list')
    .description('List the announcements, the newest first')
    .option('--json', 'print JSON')
    .action((format: Format) =>
      onInstance(terminal, async (instance) => {
        const { items } = await listAll(depsOf(instance), { page: 1, per_page: LISTED })
        const rows = items.map(({ uuid, date, ends_at: end, state, title }) => [uuid, date, end ?? '', state, title])
        show(terminal, format, items, table(['UUID', 'DATE', 'END', 'STATE', 'TITLE'], rows))
      }),
    )

  announcement
    .command('edit <uuid>')
    .description('Change an announcement; who has seen it does not see it again')
    .option('--title <title>', 'the title')
    .option('--content <markdown>', 'the content; - reads it from stdin')
    .option('--at <time>', 'show it from then on')
    .option('--until <time>', 'show it until then; never: until it is removed')
    .option('--json', 'print JSON')
    .action(async (uuid: string, { title, content: given, at, until, ...format }: Format & Changes) => {
      const content = given === undefined ? undefined : await contentOf(given)
      await onInstance(terminal, async (instance) => {
        const end = until === 'never' ? null : until
        const change = parseInput('body', AnnouncementChange, { title, content, date: at, ends_at: end })
        const changed = await update(depsOf(instance), uuid, change)
        show(terminal, format, changed, [`Changed the announcement ${uuid}.`])
      })
    })

  announcement
    .command('delete <uuid>')
    .description('Take an announcement back')
    .option('--json', 'print JSON')
    .action((uuid: string, format: Format) =>
      onInstance(terminal, async (instance) => {
        await remove(depsOf(instance), uuid)
        show(terminal, format, { uuid }, [`Deleted the announcement ${uuid}.`])
      }),
    )
}

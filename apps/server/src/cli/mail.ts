// `bowline mail …`: the outbox, and a test of the mail server.
import { ConfigError } from '@bowline/contract/config'
import { Email } from '@bowline/contract/schemas/common'
import type { Command } from 'commander'
import { z } from 'zod'
import { systemClock } from '@bowline/base/clock'
import { existingFiles } from '../checks/existing-files.ts'
import { readConfig } from '../config.ts'
import { createRenderer } from '../mails/render/render.ts'
import { list, resend, revealLink, sendTestTo } from '../mails/service.ts'
import { parseInput } from '../platform/input/parse-input.ts'
import { randomIds } from '../platform/ids.ts'
import { onInstance } from './instance.ts'
import { type Format, type Terminal, show, table } from './terminal.ts'

/** Maximum of mails that `mail list` prints. */
const LISTED = 1_000

export function addMailCommands(program: Command, terminal: Terminal): void {
  const mail = program.command('mail').description('Mail: the outbox and a test of the mail server')

  mail
    .command('test <address>')
    .description('Send a test mail with the settings of the environment, past the outbox')
    .option('--json', 'print JSON')
    .action(async (address: string, format: Format) => {
      const { to } = parseInput('body', z.object({ to: Email }), { to: address })
      const { smtp, mailTexts, publicOrigin: origin } = await readConfig(terminal.env, existingFiles)
      if (!smtp || origin === undefined) {
        throw new ConfigError(['BOWLINE_SMTP_URL is not set: without it no mail is sent.'])
      }
      const deps = {
        clock: systemClock,
        ids: randomIds,
        renderer: createRenderer(mailTexts, () => origin),
        origin: () => origin,
      }
      const { outcome, code, text } = await sendTestTo(deps, smtp, to)
      const where = `${smtp.host} port ${smtp.port}`
      const line = outcome === 'accepted' ? `${where} has taken the mail to ${to}: ${text}` : `${where}: ${text}`
      show(terminal, format, { outcome, code, text }, outcome === 'accepted' ? [line] : [])
      if (outcome !== 'accepted') throw new Error(line)
    })

  mail
    .command('list')
    .description('List the mails of the last 30 days, the newest first; links only while no mail server is set')
    .option('--failed', 'those that were given up')
    .option('--json', 'print JSON')
    .action(({ failed = false, ...format }: Format & { failed?: boolean }) =>
      onInstance(terminal, async (instance) => {
        const { system, settings } = instance
        const deps = {
          db: system,
          secretKey: await instance.secretKey(),
          hasMailServer: settings.BOWLINE_SMTP_URL !== undefined,
        }
        const { items } = await list(deps, { state: failed ? 'failed' : undefined, page: 1, per_page: LISTED })
        const links = new Map<string, string>()
        for (const { id, has_link: isThere } of items) if (isThere) links.set(id, await revealLink(deps, id))
        const rows = items.map((one) => [
          one.created_at,
          one.id,
          one.kind,
          one.recipient,
          one.state,
          String(one.attempts),
          links.get(one.id) ?? one.answer,
        ])
        const shown = items.map((one) => ({ ...one, link: links.get(one.id) ?? '' }))
        show(terminal, format, shown, table(['TIME', 'ID', 'KIND', 'RECIPIENT', 'STATE', 'ATTEMPTS', 'ANSWER'], rows))
      }),
    )

  mail
    .command('resend <id>')
    .description('Send a mail that was given up once more; the running server does it')
    .option('--json', 'print JSON')
    .action((id: string, format: Format) =>
      onInstance(terminal, async ({ system }) => {
        await resend({ db: system, clock: systemClock, wake: () => undefined }, id)
        show(terminal, format, { id }, [`The mail ${id} is sent once more.`])
      }),
    )
}

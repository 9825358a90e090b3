// Writes mails into the outbox of a running server, as its own transactions do, and reads what became of them.
import { join } from 'node:path'
import { systemClock } from '@bowline/base/clock'
import { openDatabase } from '../../apps/server/src/db/database.ts'
import { findRunningPostgres } from '../../apps/server/src/db/embedded/supervisor.ts'
import { createMailQueue } from '../../apps/server/src/mails/queue.ts'
import { randomIds } from '../../apps/server/src/platform/ids.ts'
import { silentLog } from '../../apps/server/src/platform/log.ts'
import { secretKeyFromFile } from '../../apps/server/src/platform/secrets/seal.ts'

export const ORIGIN = 'https://bowline.example.com'

/** Settings of a server that sends by a mail server on this machine. */
export function mailSettings(port: number): Record<string, string> {
  return {
    BOWLINE_PUBLIC_URL: ORIGIN,
    BOWLINE_SMTP_URL: `smtp://127.0.0.1:${port}`,
    BOWLINE_SMTP_STARTTLS: 'off',
    BOWLINE_SMTP_FROM: 'Bowline <bowline@example.com>',
  }
}

/** Writes a mail with a link for a new password to each address, all in one transaction. */
export async function writeMails(dataFolder: string, recipients: readonly string[], name = 'Ada'): Promise<void> {
  const owner = await findRunningPostgres(dataFolder)
  if (!owner) throw new Error(`no database runs in ${dataFolder}`)
  const database = await openDatabase({ owner, poolSize: 1, log: silentLog })
  const secretKey = await secretKeyFromFile(join(dataFolder, 'secret.key'))
  const queue = createMailQueue({
    clock: systemClock,
    ids: randomIds,
    secretKey,
    publicOrigin: () => ORIGIN,
    isSending: true,
  })
  try {
    await database
      .system()
      .transaction()
      .execute(async (db) => {
        for (const to of recipients) {
          const values = { name, link: queue.link('/update-password', { token: 'secret' }), hours: 24 }
          await queue.add(db, { kind: 'recover', to, user: undefined, source: '', values })
        }
      })
  } finally {
    await database.close()
  }
}

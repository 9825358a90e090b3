// A mail queue for tests that call use cases without a server; its mails are read from the table.
import { randomBytes } from 'node:crypto'
import { systemClock } from '@bowline/base/clock'
import { randomIds } from '../../platform/ids.ts'
import { SecretKey } from '../../platform/secrets/seal.ts'
import { type MailQueue, createMailQueue } from '../queue.ts'

export function testMailQueue(): MailQueue {
  return createMailQueue({
    clock: systemClock,
    ids: randomIds,
    secretKey: new SecretKey(randomBytes(32).toString('hex')),
    publicOrigin: () => 'https://bowline.example.com',
    isSending: true,
  })
}

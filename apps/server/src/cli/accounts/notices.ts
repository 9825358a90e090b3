// Mails that commands cause.
import { systemClock } from '@bowline/base/clock'
import { type MailQueue, createMailQueue } from '../../mails/queue.ts'
import { sendsMail } from '../../mails/sending.ts'
import { isLoopback } from '../../platform/network/address.ts'
import { publicOrigin } from '../../platform/network/public-host.ts'
import type { Instance } from '../instance.ts'

/** Mails of commands; the server sends them. */
export async function mailQueueOf(instance: Instance): Promise<MailQueue> {
  const { settings, ids } = instance
  const isPlain = isLoopback(settings.BOWLINE_HOST) || settings.BOWLINE_TRUSTED_PROXIES.length > 0
  const hasTls = settings.BOWLINE_TLS_CERT_FILE !== undefined || !isPlain
  const origin = publicOrigin(settings, hasTls)
  return createMailQueue({
    clock: systemClock,
    ids,
    secretKey: await instance.secretKey(),
    publicOrigin: () => origin ?? `${hasTls ? 'https' : 'http'}://localhost:${settings.BOWLINE_HTTP_PORT}`,
    isSending: sendsMail(settings),
  })
}

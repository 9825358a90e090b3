// Check of the mail server: connects, encrypts and signs in as for a mail, and sends none.
import type { ServerConfig } from '../config.ts'
import { createSmtpTransport } from '../mails/transport.ts'
import { type Finding, finding } from './finding.ts'

const LIMITS = { replyMs: 10_000, attemptMs: 15_000 }

/** Mails wait while their server is away, so that a failure keeps nothing from starting. */
export async function checkMail({ smtp }: Pick<ServerConfig, 'smtp'>): Promise<Finding[]> {
  if (!smtp) return []
  const where = `${smtp.host} port ${smtp.port}`
  const { outcome, text } = await createSmtpTransport(smtp, LIMITS).verify()
  if (outcome === 'accepted') return [finding('mail server', 'ok', `${where} takes mails of this server.`)]
  const remedy = 'Check BOWLINE_SMTP_URL and BOWLINE_SMTP_STARTTLS; `bowline mail test <address>` sends a test mail.'
  return [finding('mail server', 'warn', `${where} cannot be used: ${text.replace(/([^.!?])$/, '$1.')}`, remedy)]
}

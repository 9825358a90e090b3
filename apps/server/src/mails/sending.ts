// True if this server sends mail.
import type { ServerSettings } from '@bowline/contract/config'

/** True with a mail server; the cloud edition is not run without one. */
export function sendsMail(settings: Pick<ServerSettings, 'BOWLINE_EDITION' | 'BOWLINE_SMTP_URL'>): boolean {
  return settings.BOWLINE_EDITION === 'cloud' || settings.BOWLINE_SMTP_URL !== undefined
}

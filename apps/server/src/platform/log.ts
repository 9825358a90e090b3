// The server's log: one JSON line per event. Known names of secrets are redacted at every depth of a line.
import type { Log as BaseLog, LogFields } from '@bowline/base/log'
import { type Logger, pino } from 'pino'

export type LogEvent =
  | 'server.starting'
  | 'server.listening'
  | 'server.draining'
  | 'server.stopped'
  | 'server.failed'
  | 'server.setup-link'
  | 'clock.differs'
  | 'database.starting'
  | 'database.adopted'
  | 'database.elsewhere'
  | 'database.ready'
  | 'database.migrated'
  | 'database.newer'
  | 'database.restarted'
  | 'database.stopped'
  | 'database.error'
  | 'http.request'
  | 'http.error'
  | 'auth.failed'
  | 'auth.locked'
  | 'passkey.refused'
  | 'auth.refresh-replayed'
  | 'instance.setup'
  | 'device.registered'
  | 'device.paired'
  | 'device.imported'
  | 'device.status'
  | 'device.undecided'
  | 'device.removed'
  | 'agent.bundle-failed'
  | 'agent-update.halted'
  | 'agent-update.error'
  | 'link.refused'
  | 'link.up'
  | 'link.down'
  | 'link.displaced'
  | 'link.handed-over'
  | 'http.refused'
  | 'ssh.refused'
  | 'ssh.connected'
  | 'ssh.login'
  | 'ssh.login-failed'
  | 'ssh.closed'
  | 'ssh.error'
  | 'ssh.unread'
  | 'session.error'
  | 'terminal.legacy-signature'
  | 'recording.failed'
  | 'recording.ledger-head'
  | 'recording.not-uploaded'
  | 'recording.sealed'
  | 'recording.store-away'
  | 'recording.store-failed'
  | 'recording.store-ready'
  | 'policy.pattern-unusable'
  | 'presence.error'
  | 'device-health.error'
  | 'device-health.malformed'
  | 'node.entered'
  | 'node.buried'
  | 'node.fenced'
  | 'node.error'
  | 'node.linked'
  | 'node.unlinked'
  | 'node.refused'
  | 'redis.connected'
  | 'redis.lost'
  | 'docs.page-view'
  | 'docs.feedback'
  | 'jobs.error'
  | 'device-jobs.error'
  | 'tag-rules.error'
  | 'access-request.mail'
  | 'alert.sent'
  | 'alert.postponed'
  | 'audit-stream.postponed'
  | 'audit-streams.error'
  | 'alert.failed'
  | 'alerts.error'
  | 'namespaces.purged'
  | 'export.incomplete'
  | 'export.ended'
  | 'mail.sent'
  | 'mail.postponed'
  | 'mail.failed'
  | 'mail.not-configured'
  | 'announcement.changed'
  | 'mail.tested'
  | 'mail.link-shown'
  | 'mail.error'
  | 'certificate.account'
  | 'certificate.renewed'
  | 'certificate.failed'
  | 'certificate.ending'
  | 'certificate.error'
  | 'billing.error'
  | 'billing.difference'
  | 'billing.reconciled'
  | 'tunnels.error'
  | 'tunnels.refused'
  | 'tunnels.connected'
  | 'tunnels.closed'
  | 'egress.refused'
  | 'connector.connected'
  | 'connector.disconnected'
  | 'connector.error'
  | 'saml.refused'
  | 'saml.metadata-failed'
  | 'openid.groups-unreadable'
  | 'openid.logout'
  | 'openid.logout-refused'
  | 'openid.refused'
  | 'scim.error'
  | 'single-sign-on.failed'

export type { LogFields }
export type Log = BaseLog<LogEvent>

/** Fields that are redacted at every depth of a line. */
const SECRET_FIELDS = [
  'password',
  'password_hash',
  'token',
  'authorization',
  'cookie',
  'set-cookie',
  'secret',
  'recovery_code',
  'private_key',
  'x-api-key',
]
/** PostgreSQL puts whole rows into an error's detail; a top-level `code` may be a one-time code, unlike an error's. */
const SECRET_PATHS = ['code', 'err.detail', 'err.where']

/**
 * The process's log.
 * @param level lowest level that is logged
 * @param destination file descriptor; 1 is stdout
 */
export function createLog(level: string, destination = 1): Log {
  const anywhere = SECRET_FIELDS.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`])
  const paths = [...anywhere, ...SECRET_PATHS]
  return wrap(
    pino(
      { level, base: null, redact: { paths, censor: '[secret]' }, timestamp: pino.stdTimeFunctions.isoTime },
      pino.destination({ fd: destination, sync: true }),
    ),
  )
}

/** A log that writes nothing, for tests. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLog,
}

function wrap(logger: Logger): Log {
  return {
    debug: (ev, fields) => logger.debug({ ev, ...fields }),
    info: (ev, fields) => logger.info({ ev, ...fields }),
    warn: (ev, fields) => logger.warn({ ev, ...fields }),
    error: (ev, fields) => logger.error({ ev, ...fields }),
    child: (fields) => wrap(logger.child(fields)),
  }
}

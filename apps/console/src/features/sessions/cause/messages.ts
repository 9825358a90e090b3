// Texts of what broke a connection.
import { i18n } from '../../../platform/language/i18n.ts'

const reset = i18n._('connection reset')
const closed = i18n._('connection closed')
const timedOut = i18n._('timed out')
const unreachable = i18n._('network unreachable')
const refused = i18n._('connection refused')

export const causeMessages = {
  deviceLost: i18n._('The device lost its connection to the server.'),
  deviceLostBy: (why: string) => i18n._('The device lost its connection to the server ({why}).', { why }),
  timedOut,
  /** Codes of network errors. */
  codes: {
    ECONNRESET: reset,
    ECONNABORTED: i18n._('connection aborted'),
    ECONNREFUSED: refused,
    EPIPE: closed,
    ENOTCONN: closed,
    ESHUTDOWN: closed,
    ETIMEDOUT: timedOut,
    ESOCKETTIMEDOUT: timedOut,
    EHOSTUNREACH: i18n._('host unreachable'),
    EHOSTDOWN: i18n._('host down'),
    ENETUNREACH: unreachable,
    ENETDOWN: i18n._('network down'),
    ENETRESET: reset,
    EADDRNOTAVAIL: i18n._('address not available'),
    ENOTFOUND: i18n._('name not found'),
    EAI_AGAIN: i18n._('name resolution failed'),
    EPROTO: i18n._('protocol error'),
  } as Readonly<Record<string, string>>,
} as const

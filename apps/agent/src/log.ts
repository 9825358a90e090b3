// The agent's log: one JSON object per line on stderr, or human-readable lines when stderr is a terminal.
import type { Log as BaseLog, LogFields } from '@bowline/base/log'

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LEVELS)[number]
type Written = Exclude<LogLevel, 'silent' | 'trace'>

/** Events, with their text for people. */
const EVENTS = {
  'agent.started': 'the agent has started',
  'agent.stopping': 'stopping; a second signal stops at once',
  'agent.stopped': 'stopped',
  'agent.crashed': 'the agent failed',
  'agent.handed-over': 'ended: its sessions are over, and a newer version runs',
  'agent.internal-error': 'a callback failed',
  'agent.key-made': 'made a device key',
  'pairing.code':
    'this device is in no namespace yet. Type the code in the console (Devices, Add device), or run `bowline device pair CODE` where you are signed in',
  'pairing.renewed': 'nobody used the code; this is a new one',
  'pairing.done': 'paired with a namespace',
  'pairing.not-kept': 'the namespace could not be stored; after a restart the device shows a code again',
  'registration.done': 'registered with the server',
  'registration.failed': 'the device could not be registered',
  'clock.differs': "this device's clock differs from the server's; logins by key may fail",
  'statement-key.learned': 'learned the statement key',
  'statement-key.changed': 'the statement key was replaced, signed by the old one',
  'statement-key.refused':
    'the server presented a statement key that the known one has not signed; logins by key will fail. If the server was reinstalled, remove the file',
  'link.up': 'linked to the server',
  'link.down': 'the link ended',
  'link.failed': 'the link could not be established; will retry',
  'link.displaced':
    'another agent runs with the identity of this device; was the machine, or its key file, copied? Waiting before the next attempt',
  'login.accepted': 'a login was accepted',
  'login.denied': 'a login was denied',
  'login.ended': 'a login ended',
  'login.check-failed': 'a credential could not be checked',
  'login.without-pam-session': 'the device opened no session for a login',
  'session.started': 'a process was started',
  'session.ended': 'a process ended',
  'session.refused': 'a session could not be started',
  'update.not-here': 'this agent does not update itself',
  'update.none': 'there is no update to install',
  'update.refused': 'an update was refused',
  'update.key-changed': 'updates are signed by another key from now on, which the earlier one has named',
  'update.found': 'fetching a newer version',
  'update.failed': 'an update could not be installed',
  'update.same-program': 'the newer release has the same program',
  'update.started': 'starting a newer version beside this one',
  'update.done': 'the newer version has taken over; this process ends with its sessions',
  'update.returned': 'returned to the version before',
  'update.put-off': 'an update waits',
  'update.unconfirmed': 'this version has reached the server but cannot stay; returning to the version before',
  'update.confirmed': 'this version has reached the server and stays',
  'forward.dial-failed': 'a forwarded connection failed',
  'tunnel.failed': 'a connection of a tunnel failed',
  'containers.failed': 'a connection to the container engine failed',
  'health.failed': 'the health of the device could not be reported',
  'forward.listening': 'listening for a remote forward',
  'forward.listen-failed': 'could not listen for a remote forward',
} as const satisfies Record<string, string>
export type Log = BaseLog<keyof typeof EVENTS>

/**
 * @param write receives whole lines, newline included
 * @param human human-readable text instead of JSON
 */
export function createLog(level: LogLevel, write: (line: string) => void, human: boolean, now = Date.now): Log {
  const least = LEVELS.indexOf(level)
  const withFields = (common: LogFields): Log => {
    const call =
      (at: Written): Log['info'] =>
      (ev, own = {}) => {
        if (LEVELS.indexOf(at) < least) return
        const time = new Date(now()).toISOString()
        const fields = { ...common, ...own }
        const msg = EVENTS[ev]
        write(human ? humanLine(time, at, msg, fields) : `${JSON.stringify({ time, level: at, ev, msg, ...fields })}\n`)
      }
    return {
      debug: call('debug'),
      info: call('info'),
      warn: call('warn'),
      error: call('error'),
      child: (more) => withFields({ ...common, ...more }),
    }
  }
  return withFields({})
}

function humanLine(time: string, level: Written, msg: string, fields: LogFields): string {
  const details = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${JSON.stringify(value)}`],
  )
  return `${[time.slice(11, 19), level.padEnd(5), msg, ...details].join(' ')}\n`
}

// `bowline session …`: sessions of the namespace, for somebody who is signed in at a server.
import { ConfigError } from '@bowline/contract/config'
import { operations } from '@bowline/contract/operations'
import { SessionUid } from '@bowline/contract/schemas/common'
import type { Session } from '@bowline/contract/schemas/session'
import type { Command } from 'commander'
import { type Format, type Terminal, show, table } from '../terminal.ts'
import { signedIn } from './client.ts'
import { formatOf, printLines } from './exported-lines.ts'
import { addGroups } from './sessions/session-groups.ts'
import { type SelectionOptions, queryOf, withSelection } from './sessions/session-selection.ts'

const { sessions } = operations
const HEADINGS = ['STARTED', 'LOGIN', 'PERSON', 'ADDRESS', 'STATE', 'SESSION']

export function addSessionCommands(program: Command, terminal: Terminal): void {
  const session = program
    .command('session')
    .alias('sessions')
    .description('Sessions of your namespace, at the server that you are signed in to')

  withSelection(
    session.command('list').description('List sessions, the last seen first; failed sign-ins are among them'),
  )
    .option('--limit <number>', 'at most so many: 1 to 100', '25')
    .option('--json', 'print JSON')
    .action(async ({ limit, json, ...options }: Format & SelectionOptions & { readonly limit: string }) => {
      if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > 100) {
        throw new ConfigError(['--limit must be a number from 1 to 100.'])
      }
      const client = await signedIn(terminal)
      const query = { ...(await queryOf(client, options)), per_page: limit }
      const { body, total } = await client.call(sessions.list, { query })
      const lines = body.map((one) => [
        one.started_at,
        loginOf(one),
        one.person?.name ?? '',
        one.ip_address,
        stateOf(one),
        one.uid,
      ])
      const rest = total > body.length ? [`${body.length} of ${total} sessions.`] : []
      show(terminal, json ? { json } : {}, body, [...table(HEADINGS, lines), ...rest])
    })

  addGroups(session, terminal)

  session
    .command('show <session>')
    .description('Show a session with what happened in it')
    .option('--json', 'print JSON')
    .action(async (typed: string, format: Format) => {
      const { call } = await signedIn(terminal)
      const { body } = await call(sessions.get, { params: { uid: uidOf(typed) } })
      const events = (body.events.items ?? []).map((event) => [
        event.timestamp,
        `seat ${event.seat}`,
        event.type,
        JSON.stringify(event.data),
      ])
      const facts = table(['SESSION', body.uid], factsOf(body))
      show(terminal, format, body, [
        ...facts,
        ...(events.length === 0 ? [] : ['', ...table(['TIME', 'SEAT', 'EVENT', 'DETAILS'], events)]),
      ])
    })

  session
    .command('close <session>')
    .description('End a session; the person is told that an administrator did')
    .option('--json', 'print JSON')
    .action(async (typed: string, format: Format) => {
      const { call } = await signedIn(terminal)
      const uid = uidOf(typed)
      const { body: one } = await call(sessions.get, { params: { uid } })
      await call(sessions.close, { params: { uid }, body: { device: one.device_uid } })
      show(terminal, format, { uid, device_uid: one.device_uid }, [`Ended the session ${loginOf(one)}.`])
    })

  withSelection(session.command('export').description('Print every session that matches, as CSV or JSON lines'))
    .option('--format <format>', 'csv, or jsonl for JSON lines', 'csv')
    .option('--json', 'print JSON lines')
    .action(async ({ format: typed, json, ...options }: Format & SelectionOptions & { readonly format: string }) => {
      const format = formatOf(json ? 'jsonl' : typed)
      const client = await signedIn(terminal)
      const query = { ...(await queryOf(client, options)), format }
      await printLines(terminal, await client.open(sessions.export, { query }))
    })
}

/** @throws {ConfigError} when it is none */
function uidOf(typed: string): SessionUid {
  const uid = SessionUid.safeParse(typed)
  if (!uid.success) throw new ConfigError(['The session must be its uid: 64 hex digits.'])
  return uid.data
}

function loginOf({ username, device, device_uid: uid }: Session): string {
  return oneLine(`${username}@${device?.name ?? uid.slice(0, 12)}`)
}

/** What clients of SSH sent may have line ends, which would make rows of their own. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}

function stateOf({ active, authenticated, closed }: Session): string {
  if (active) return 'active'
  if (!closed) return 'signing in'
  return authenticated ? `ended (${closed.by}: ${closed.reason})` : 'sign-in failed'
}

function factsOf(session: Session): string[][] {
  const { person, method, second_factor: factor, key, closed, command } = session
  return [
    ['login', loginOf(session)],
    ['state', stateOf(session)],
    ['person', person?.name ?? ''],
    ['method', [method ?? '', factor ?? ''].filter((word) => word !== '').join(' + ')],
    ['key', key ? `${key.fingerprint} ${key.name}` : ''],
    ['address', session.ip_address],
    ['started', session.started_at],
    ['ended', closed?.at ?? ''],
    ['reason', closed?.message ?? ''],
    ['command', command],
    ['recorded', String(session.recorded)],
    ['watched by', (session.watchers ?? []).join(', ')],
  ]
    .filter(([, value]) => value !== '')
    .map(([name = '', value = '']) => [name, oneLine(value)])
}

// Cells and facts about the person behind a session and what they did.
import type { Session } from '@bowline/contract/schemas/session'
import { Link } from '@tanstack/react-router'
import { Text } from '../../ui/kit.ts'
import { sessionsMessages as texts } from './messages.ts'
import { ACTIVITIES, ACTIVITY_NAMES, shownMethod } from './search.ts'
import cells from '../../ui/list/cells.module.css'
import classes from './sessions.module.css'

/** The person, as a link to their sessions. */
export function SessionPerson({ session: { person, method, key } }: { readonly session: Session }) {
  if (person) {
    return (
      <Link
        to="/sessions"
        search={{ person: person.id }}
        className={`${cells['fit']} ${classes['person']} ${classes['narrowing']}`}
        title={texts.onlyPerson(person.name)}
      >
        {person.name}
      </Link>
    )
  }
  if (method === null) return null
  return (
    <Text span inherit c="dimmed" title={key ? undefined : texts.unknownPersonWhy}>
      {key ? texts.serviceKey : texts.unknownPerson}
    </Text>
  )
}

/** The address that the person came from, as a link to all sessions from there. */
export function SessionAddress({ address }: { readonly address: string }) {
  return (
    <Link
      to="/sessions"
      search={{ ip: address }}
      className={`${cells['whole']} ${cells['fit']} ${cells['address']} ${classes['narrowing']}`}
      title={texts.onlyAddress(address)}
    >
      {address}
    </Link>
  )
}

export function SessionMethod({ session }: { readonly session: Session }) {
  const how = methodOf(session)
  return (
    <span className={cells['fit']} title={how}>
      {how}
    </span>
  )
}

/** `Key ada laptop + approval`; '' for sessions of earlier versions. */
export function methodOf(session: Session): string {
  const { method, key, second_factor: factor } = session
  if (method === null) return ''
  const how = key && key.name !== '' ? texts.withKey(key.name) : texts.methods[shownMethod(method, session.type)]
  return factor === null ? how : texts.withFactor(how, texts.factors[factor])
}

/** Fingerprint of the key, as a link to its sessions. */
export function SessionKey({ sessionKey: key }: { readonly sessionKey: Session['key'] }) {
  if (!key) return null
  return (
    <Link
      to="/sessions"
      search={{ key: key.fingerprint }}
      className={`${cells['line']} ${cells['whole']} ${classes['narrowing']}`}
      title={texts.onlyKey(key.name)}
    >
      {key.fingerprint}
    </Link>
  )
}

/** Activity of a session in words, with its first command. */
export function SessionActivity({ session: { events, command } }: { readonly session: Session }) {
  const words = ACTIVITY_NAMES.filter((name) => ACTIVITIES[name].some((type) => events.types.includes(type)))
  if (command === '') return words.map((name) => texts.activities[name]).join(', ')
  const others = words.filter((name) => name !== 'command').map((name) => texts.activities[name])
  return (
    <span className={cells['fit']} title={command}>
      <code>{command}</code>
      {others.length > 0 ? `, ${others.join(', ')}` : ''}
    </span>
  )
}

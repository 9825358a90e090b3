// Rows of a dump in the shapes of the API, which are judged like those.
import type { OldMember, Unreadable } from '../file.ts'
import { type READERS, type Read, readItems } from '../old-shapes.ts'
import type { ReadAccounts } from './accounts.ts'
import type { Row } from './tables.ts'
import type { Tags } from './tags.ts'
import { idOf, isTrue, textOf, timeOf, wholeOf } from './values.ts'

interface ReadList<T> {
  readonly read: T[]
  readonly unreadable: Unreadable[]
}

/** The first of several devices with one uid counts. */
export function devicesOf(rows: readonly Row[], tags: Tags): ReadList<Read<'device'>> {
  const { read, unreadable } = readItems(
    'device',
    rows.map((row) => deviceOf(row, tags.of('devices', row).names)),
  )
  const devices = new Map<string, Read<'device'>>()
  for (const device of read) {
    const { uid, name } = device
    if (devices.has(uid)) unreadable.push({ what: 'device', name, reason: 'Another device has the same uid.' })
    else devices.set(uid, device)
  }
  return { read: [...devices.values()], unreadable }
}

function deviceOf(row: Row, tags: readonly string[]) {
  return {
    uid: textOf(row['uid']),
    name: textOf(row['name']),
    identity: { mac: textOf(row['mac']) },
    info: {
      id: textOf(row['info_id']),
      pretty_name: textOf(row['pretty_name']),
      version: textOf(row['version']),
      arch: textOf(row['arch']),
      platform: textOf(row['platform']),
    },
    public_key: textOf(row['public_key']),
    status: textOf(row['status']).toLowerCase(),
    tags,
    last_seen: timeOf(row['last_seen']),
  }
}

export function keysOf(rows: readonly Row[], tags: Tags): ReadList<Read<'public key'>> {
  return filtered('public key', 'keys', rows, tags, (row) => {
    const data = textOf(row['data'])
    // The API sends base64 of the line that authorized_keys would have.
    const isLine = /^(ssh|ecdsa|sk)-\S+ /.test(data)
    return { data: isLine ? Buffer.from(data).toString('base64') : data }
  })
}

export function rulesOf(rows: readonly Row[], tags: Tags): ReadList<Read<'firewall rule'>> {
  return filtered('firewall rule', 'rules', rows, tags, (row) => ({
    action: textOf(row['action']).toLowerCase(),
    active: isTrue(row['active']),
    priority: wholeOf(row['priority']),
    source_ip: textOf(row['source_ip']),
  }))
}

/** Whatever does not tell for which devices and accounts it is does not come: here it would be for more of them. */
function filtered<What extends 'public key' | 'firewall rule'>(
  what: What & keyof typeof READERS,
  kind: 'keys' | 'rules',
  rows: readonly Row[],
  tags: Tags,
  valuesOf: (row: Row) => Readonly<Record<string, unknown>>,
): ReadList<Read<What>> {
  const unclear: Unreadable[] = []
  const items = rows.flatMap((row) => {
    const { names, isWhole } = tags.of(kind, row)
    const [name, hostname, username] = [textOf(row['name']), textOf(row['hostname']), textOf(row['username'])]
    const hasFilter = isWhole && (names.length > 0 || hostname !== '')
    if (hasFilter && username !== '') return [{ ...valuesOf(row), name, username, filter: { hostname, tags: names } }]
    const field = hasFilter ? 'accounts' : 'devices'
    const called = (name || textOf(row['id'])).slice(0, 255)
    unclear.push({ what, name: called, reason: `The dump does not tell for which ${field} it is.` })
    return []
  })
  const { read, unreadable } = readItems(what, items)
  return { read, unreadable: [...unclear, ...unreadable] }
}

export function apiKeysOf(rows: readonly Row[]): ReadList<Read<'API key'>> {
  return readItems(
    'API key',
    rows.map((row) => ({ name: textOf(row['name']), role: textOf(row['role']) })),
  )
}

/** @param owner id of the account that owns the namespace, which may be no member; '' where the dump does not tell */
export function membersOf(owner: string, rows: readonly Row[], { emails, coming }: ReadAccounts): ReadList<OldMember> {
  const roles = new Map(rows.map((row) => [idOf(row['user']), row]))
  if (owner !== '') roles.set(owner, { ...roles.get(owner), role: 'owner' })
  const list = [...roles].map(([id, row]) => ({ id, row, email: emails.get(id) }))
  const { read, unreadable } = readItems(
    'member',
    list.map(({ id, row, email }) => ({ id, email, role: textOf(row['role']) })),
  )
  // Whoever has not accepted an invitation is invited here too.
  const accepted = list.filter(({ id, row }) => coming.has(id) && textOf(row['status']).toLowerCase() !== 'pending')
  const known = new Set(accepted.map(({ email }) => email))
  return { read: read.map((one) => (known.has(one.email) ? { ...one, has_account: true } : one)), unreadable }
}

// Namespaces of a dump, each in the file that `bowline import apply` takes.
import type { ImportFile, OldNamespace, Unreadable } from '../file.ts'
import { readNamespace } from '../old-shapes.ts'
import type { ReadAccounts } from './accounts.ts'
import { apiKeysOf, devicesOf, keysOf, membersOf, rulesOf } from './items.ts'
import type { Kind } from './spellings.ts'
import type { Row } from './tables.ts'
import { type Tags, openTags } from './tags.ts'
import { idOf, isTrue, textOf } from './values.ts'

type Rows = Readonly<Record<Kind, readonly Row[]>>
type Origin = Pick<ImportFile, 'server' | 'fetched_at'>

export interface ReadNamespaces {
  readonly files: readonly ImportFile[]
  /** What is in no file. */
  readonly unreadable: readonly Unreadable[]
}

const PARTS = ['members', 'devices', 'keys', 'rules', 'api_keys'] as const
type Part = (typeof PARTS)[number]
/** Rows of the parts by the id of their namespace; those of namespaces that were read are taken out. */
type Waiting = Readonly<Record<Part, Map<string, Row[]>>>

export function readNamespaces(rows: Rows, accounts: ReadAccounts, origin: Origin): ReadNamespaces {
  const group = (part: Part): Map<string, Row[]> => Map.groupBy(rows[part], (row) => idOf(row['tenant']))
  const waiting: Waiting = {
    members: group('members'),
    devices: group('devices'),
    keys: group('keys'),
    rules: group('rules'),
    api_keys: group('api_keys'),
  }
  const tags = openTags(rows)
  const unreadable: Unreadable[] = []
  const files: ImportFile[] = []
  const known = new Set<string>()
  for (const row of rows.namespaces) {
    const namespace = namespaceOf(row)
    const isTwice = typeof namespace !== 'string' && known.has(namespace.tenant_id)
    if (typeof namespace === 'string' || isTwice) {
      const reason = typeof namespace === 'string' ? namespace : 'Another namespace has the same id.'
      unreadable.push({ what: 'namespace', name: textOf(row['name']).slice(0, 255), reason: reason.slice(0, 1_024) })
      continue
    }
    // Other tables may refer to it by the id of its row, or by the one that agents send.
    const ids = [...new Set([namespace.tenant_id, idOf(row['id'])])].filter((id) => id !== '')
    for (const id of ids) known.add(id)
    files.push({ ...fileOf(row, namespace, { ids, waiting, tags, accounts }), ...origin })
  }
  return { files, unreadable: [...unreadable, ...ownerless(waiting)] }
}

/** @returns why it cannot come */
function namespaceOf(row: Row): OldNamespace | string {
  const settings = {
    session_record: isTrue(row['session_record']),
    connection_announcement: textOf(row['announcement']),
  }
  try {
    return readNamespace({ tenant_id: textOf(row['tenant']), name: textOf(row['name']), settings })
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

interface From {
  readonly ids: readonly string[]
  readonly waiting: Waiting
  readonly tags: Tags
  readonly accounts: ReadAccounts
}

function fileOf(
  row: Row,
  namespace: OldNamespace,
  { ids, waiting, tags, accounts }: From,
): Omit<ImportFile, keyof Origin> {
  const taken = (part: Part): Row[] =>
    ids.flatMap((id) => {
      const rows = waiting[part].get(id) ?? []
      waiting[part].delete(id)
      return rows
    })
  const members = membersOf(idOf(row['owner']), taken('members'), accounts)
  const devices = devicesOf(taken('devices'), tags)
  const keys = keysOf(taken('keys'), tags)
  const rules = rulesOf(taken('rules'), tags)
  const apiKeys = apiKeysOf(taken('api_keys'))
  return {
    format: 'bowline-import',
    version: 1,
    namespace,
    members: members.read,
    devices: devices.read,
    public_keys: keys.read,
    firewall_rules: rules.read,
    api_keys: apiKeys.read,
    unreadable: [members, devices, keys, rules, apiKeys].flatMap((list) => list.unreadable),
    notes: [],
  }
}

/** Rows of namespaces that the dump does not have, or that cannot come. */
function ownerless(waiting: Waiting): Unreadable[] {
  return PARTS.flatMap((part) =>
    [...waiting[part]].map(([tenant, rows]) => ({
      what: 'namespace',
      name: tenant.slice(0, 255),
      reason: `${rows.length} rows of ${part} belong to it, and it is not there or cannot come.`,
    })),
  )
}

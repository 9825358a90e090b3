// First half of a move: reads a namespace from the old server into a file. Only reads.
import { ConfigError } from '@bowline/contract/config'
import { TenantId } from '@bowline/contract/schemas/common'
import { z } from 'zod'
import { type ImportFile, writeImportFile } from './file.ts'
import { type Journal, openJournal } from './journal.ts'
import { READERS, type Read, readItems, readNamespace } from './old-shapes.ts'
import type { OldServer } from './old-server.ts'
import { readPages } from './pages.ts'

const MAX_DEVICES = 200_000
const MAX_OTHERS = 10_000
const STATUSES = ['accepted', 'pending', 'rejected'] as const
/** Pages between two lines about the progress. */
const TOLD_PAGES = 10

export interface FetchOptions {
  readonly file: string
  /** Namespace, where the credential does not tell it. */
  readonly tenant: string | undefined
  /** Tells how it goes on. */
  readonly tell: (line: string) => void
  readonly now: () => number
}

type What = keyof typeof READERS

/**
 * Reads everything and writes the file; what was read before it was broken off is not read again.
 * @throws {Error} in words for the command line
 */
export async function fetchNamespace(server: OldServer, options: FetchOptions): Promise<ImportFile> {
  const tenant = await tenantOf(server, options.tenant)
  const answer = await server.get(`/api/namespaces/${tenant}`)
  if (!answer) throw new Error(`${server.origin} does not show the namespace ${tenant} to this token.`)
  const namespace = readNamespace(answer.body)
  if (namespace.tenant_id !== tenant) throw new Error(`${server.origin} sends another namespace than ${tenant}.`)
  const journal = await openJournal(options.file, server.origin, tenant)
  if (journal.found > 0) options.tell(`Going on after ${journal.found} pages that were read before.`)
  const lists = listReader(server, journal, options.tell)
  const members = await readMembers(server, tenant, answer.body)
  const devices = new Map<string, Read<'device'>>()
  for (const kind of ['devices', 'containers']) {
    for (const status of STATUSES) {
      // The oldest first: devices that come while this runs are on the last page.
      const path = `/api/${kind}?status=${status}&sort_by=created_at&order_by=asc`
      for (const device of await lists.read('device', path, MAX_DEVICES)) devices.set(device.uid, device)
    }
  }
  const content: ImportFile = {
    format: 'bowline-import',
    version: 1,
    server: server.origin,
    fetched_at: new Date(options.now()).toISOString(),
    namespace,
    members: members.read,
    devices: [...devices.values()],
    public_keys: await lists.read('public key', '/api/sshkeys/public-keys', MAX_OTHERS),
    firewall_rules: await lists.read('firewall rule', '/api/firewall/rules', MAX_OTHERS),
    api_keys: await lists.read('API key', '/api/namespaces/api-key', MAX_OTHERS),
    unreadable: [...members.unreadable, ...lists.unreadable],
    notes: lists.notes,
  }
  await writeImportFile(options.file, content)
  await journal.remove()
  return content
}

function listReader(server: OldServer, journal: Journal, tell: (line: string) => void) {
  const notes: string[] = []
  const unreadable: ImportFile['unreadable'] = []
  async function read<W extends What>(what: W, path: string, most: number): Promise<Read<W>[]> {
    const known = journal.of(path)
    const from = known.length + 1
    if (known.at(-1)?.isLast !== true) {
      for await (const { page, items, isLast } of readPages(server, path, { from, most, keyOf: keyOf(what) })) {
        await journal.add({ list: path, page, isLast, ...readItems(what, items) })
        if (page % TOLD_PAGES === 0) tell(`${path.split('?')[0]}: ${page} pages read.`)
      }
    }
    const parts = journal.of(path)
    if (parts.length === 0) notes.push(`${server.origin} does not have ${path.split('?')[0]}, or not for this token.`)
    unreadable.push(...parts.flatMap((part) => part.unreadable))
    return parts.flatMap((part) => part.read as Read<W>[])
  }
  return { read, notes, unreadable }
}

const Keys = z.object({ uid: z.unknown(), fingerprint: z.unknown(), id: z.unknown(), name: z.unknown() }).partial()

function keyOf(what: What): (item: unknown) => string {
  const [field] = { device: ['uid'], 'public key': ['fingerprint'], 'firewall rule': ['id'] }[what as string] ?? [
    'name',
  ]
  return (item) => String(Keys.safeParse(item).data?.[field as keyof z.infer<typeof Keys>])
}

const SignedIn = z.object({ tenant: z.string() })
const FirstDevice = z.array(z.object({ tenant_id: z.string() })).min(1)

/** @throws {ConfigError} when it is not known, or is another than the given one */
async function tenantOf(server: OldServer, given: string | undefined): Promise<TenantId> {
  const told = server.isApiKey
    ? FirstDevice.safeParse((await server.get('/api/devices?page=1&per_page=1'))?.body).data?.[0]?.tenant_id
    : SignedIn.safeParse((await server.get('/api/auth/user'))?.body).data?.tenant
  const tenant = TenantId.safeParse(given ?? told)
  if (!tenant.success)
    throw new ConfigError(['Name the namespace by --tenant: the old server does not tell which one it is.'])
  const isOther = told !== undefined && told !== '' && told.toLowerCase() !== tenant.data
  if (isOther) throw new ConfigError([`The token is for the namespace ${told}, not for ${tenant.data}.`])
  return tenant.data
}

const WithMembers = z.object({ members: z.array(z.unknown()).max(MAX_OTHERS) })

/** Newer servers have a list of their own. */
async function readMembers(server: OldServer, tenant: TenantId, namespace: unknown) {
  const inside = WithMembers.safeParse(namespace).data?.members ?? []
  if (inside.length > 0) return readItems('member', inside)
  const list = z
    .array(z.unknown())
    .max(MAX_OTHERS)
    .safeParse((await server.get(`/api/namespaces/${tenant}/members`))?.body)
  return readItems('member', list.data ?? [])
}

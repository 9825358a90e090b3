// What the old server sends, as far as it is read. Versions differ: roles may be capitalised, tags are texts or objects, and
// members are part of the namespace or a list of their own. Each item is judged by itself.
import { z } from 'zod'
import { OldApiKey, OldDevice, OldFilter, OldKey, OldMember, OldNamespace, OldRule, type Unreadable } from './file.ts'

const cut = (max: number) =>
  z
    .string()
    .nullish()
    .transform((text) => (text ?? '').slice(0, max))

const Tags = z
  .array(z.union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)]))
  .nullish()
  .transform((tags) => tags ?? [])

const Filter = z
  .object({ hostname: z.string().nullish(), tags: Tags })
  .transform(({ hostname, tags }): z.input<typeof OldFilter> => {
    return tags.length > 0 ? { tags } : { hostname: hostname ?? '' }
  })

const Info = z
  .object({ id: cut(128), pretty_name: cut(256), version: cut(64), arch: cut(64), platform: cut(64) })
  .nullish()
  .transform((info) => info ?? { id: '', pretty_name: '', version: '', arch: '', platform: '' })

const Device = z
  .object({
    uid: z.string(),
    name: z.string(),
    identity: z.object({ mac: z.string().nullish() }).nullish(),
    info: Info,
    public_key: z.string(),
    status: z.string(),
    tags: Tags,
    last_seen: cut(64),
  })
  .transform(({ identity, ...device }) => ({ ...device, mac: identity?.mac ?? '' }))

const Key = z.object({ name: z.string(), data: z.string(), username: cut(4_096), filter: Filter })

const Rule = z.object({
  action: z.string(),
  active: z.boolean(),
  priority: z.number(),
  source_ip: z.string(),
  username: z.string(),
  filter: Filter,
})

const Member = z.object({ email: z.string(), role: z.string().toLowerCase() })
const ApiKey = z.object({ name: z.string(), role: z.string().toLowerCase() })

const Settings = z
  .object({ session_record: z.boolean().nullish(), connection_announcement: z.string().nullish() })
  .nullish()

const Namespace = z
  .object({ tenant_id: z.string(), name: z.string(), settings: Settings })
  .transform(({ settings, ...namespace }) => ({
    ...namespace,
    session_record: settings?.session_record ?? false,
    connection_announcement: settings?.connection_announcement ?? '',
  }))

/** How one item of each list is read. */
export const READERS = {
  device: Device.pipe(OldDevice),
  'public key': Key.pipe(OldKey),
  'firewall rule': Rule.pipe(OldRule),
  member: Member.pipe(OldMember),
  'API key': ApiKey.pipe(OldApiKey),
} as const
export type Read<What extends keyof typeof READERS> = z.output<(typeof READERS)[What]>

/** @throws {Error} unless it is a namespace */
export function readNamespace(body: unknown): OldNamespace {
  const namespace = Namespace.pipe(OldNamespace).safeParse(body)
  if (namespace.success) return namespace.data
  throw new Error(`The old server sends no namespace: ${flawsOf(namespace.error)}.`)
}

/** The items of a list that can be read, and what is wrong with the others. */
export function readItems<What extends keyof typeof READERS>(
  what: What,
  items: readonly unknown[],
): { readonly read: Read<What>[]; readonly unreadable: Unreadable[] } {
  const read: Read<What>[] = []
  const unreadable: Unreadable[] = []
  for (const item of items) {
    const one = READERS[what].safeParse(item)
    if (one.success) read.push(one.data as Read<What>)
    else unreadable.push({ what, name: nameOf(item).slice(0, 255), reason: flawsOf(one.error).slice(0, 1_024) })
  }
  return { read, unreadable }
}

const Named = z.object({ name: z.string().optional(), email: z.string().optional(), id: z.unknown(), uid: z.unknown() })

/** What people know an item by. */
function nameOf(item: unknown): string {
  const { name, email, uid, id } = Named.partial().safeParse(item).data ?? {}
  return name ?? email ?? (typeof uid === 'string' ? uid : typeof id === 'string' ? id : 'without a name')
}

function flawsOf({ issues }: z.ZodError): string {
  return issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.join('.')}: ${message}`)
    .join('; ')
}

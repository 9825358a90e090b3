// The file between the two halves of a move: what a server tells about a namespace, without secrets. Whoever edits it changes
// what is imported.
import { readFile, rename, stat, writeFile } from 'node:fs/promises'
import { ConfigError } from '@bowline/contract/config'
import { TenantId } from '@bowline/contract/schemas/common'
import { z } from 'zod'

const MAX_FILE_BYTES = 512 * 1_024 * 1_024

const text = (max: number) => z.string().max(max)
/** As the old server has it; what is taken from it is judged when it is imported. */
export const OldFilter = z.object({ hostname: text(4_096).optional(), tags: z.array(text(255)).max(64).optional() })

export const OldDevice = z.object({
  uid: text(64),
  name: text(255),
  mac: text(64),
  info: z.object({ id: text(128), pretty_name: text(256), version: text(64), arch: text(64), platform: text(64) }),
  public_key: text(4_096),
  status: z.enum(['accepted', 'pending', 'rejected']),
  tags: z.array(text(255)).max(64),
  last_seen: text(64),
})
export type OldDevice = z.infer<typeof OldDevice>

export const OldKey = z.object({ name: text(255), data: text(65_536), username: text(4_096), filter: OldFilter })
export type OldKey = z.infer<typeof OldKey>

export const OldRule = z.object({
  action: z.enum(['allow', 'deny']),
  active: z.boolean(),
  priority: z.number(),
  source_ip: text(4_096),
  username: text(4_096),
  filter: OldFilter,
})
export type OldRule = z.infer<typeof OldRule>

export const OldMember = z.object({
  email: text(254),
  role: text(32),
  /** True if the account is one of those that come from the same dump. */
  has_account: z.boolean().optional(),
})
export type OldMember = z.infer<typeof OldMember>

export const OldApiKey = z.object({ name: text(255), role: text(32) })

export const OldNamespace = z.object({
  tenant_id: TenantId,
  name: text(255),
  session_record: z.boolean(),
  connection_announcement: text(65_536),
})
export type OldNamespace = z.infer<typeof OldNamespace>

/** What the old server sent and nobody could read. */
export const Unreadable = z.object({ what: text(64), name: text(255), reason: text(1_024) })
export type Unreadable = z.infer<typeof Unreadable>

export const ImportFile = z.object({
  format: z.literal('bowline-import'),
  version: z.literal(1),
  server: text(1_024),
  fetched_at: text(64),
  namespace: OldNamespace,
  members: z.array(OldMember),
  devices: z.array(OldDevice),
  public_keys: z.array(OldKey),
  firewall_rules: z.array(OldRule),
  api_keys: z.array(OldApiKey),
  unreadable: z.array(Unreadable),
  /** What the reader should know, such as lists that the old server does not have. */
  notes: z.array(text(1_024)),
})
export type ImportFile = z.infer<typeof ImportFile>

/** Writes the file at once, readable for its owner: it has addresses of people. */
export async function writeImportFile(file: string, content: ImportFile): Promise<void> {
  const fresh = `${file}.new`
  await writeFile(fresh, `${JSON.stringify(content)}\n`, { mode: 0o600 })
  await rename(fresh, file)
}

/** @throws {ConfigError} naming the file, which cannot be read, is too large or is not JSON */
export async function readJsonFile(file: string): Promise<unknown> {
  const { size } = await stat(file).catch(() => {
    throw new ConfigError([`${file} cannot be read.`])
  })
  if (size > MAX_FILE_BYTES) throw new ConfigError([`${file} is larger than ${MAX_FILE_BYTES} bytes.`])
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    throw new ConfigError([`${file} is not JSON.`])
  }
}

/** @throws {ConfigError} naming the file and the first flaws */
export async function readImportFile(file: string): Promise<ImportFile> {
  const json = await readJsonFile(file)
  if (typeof json === 'object' && json !== null && 'version' in json && json.version !== 1) {
    throw new ConfigError([`${file} has version ${JSON.stringify(json.version)}; this program reads version 1.`])
  }
  const content = ImportFile.safeParse(json)
  if (content.success) return content.data
  const flaws = content.error.issues.slice(0, 5)
  throw new ConfigError(flaws.map(({ path, message }) => `${file}: ${path.join('.')}: ${message}.`))
}

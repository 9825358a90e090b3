// Reads a dump into files: one for each namespace, and one with the accounts.
import { mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { NamespaceName } from '@bowline/contract/schemas/namespace'
import { type OldAccount, writeAccountsFile } from '../accounts-file.ts'
import { type ImportFile, type Unreadable, writeImportFile } from '../file.ts'
import { readAccounts } from './accounts.ts'
import type { Names } from './map-file.ts'
import { readNamespaces } from './namespaces.ts'
import { openDump } from './open.ts'
import { readRows } from './rows.ts'
import { type FoundTable, openTables } from './tables.ts'

export interface DumpOptions {
  /** Folder to write into. */
  readonly to: string
  readonly names: Names
  readonly now: () => number
}

export interface DumpReport {
  readonly accounts: { readonly file: string; readonly accounts: number }
  readonly namespaces: readonly {
    readonly file: string
    readonly name: string
    readonly tenant_id: string
    readonly counts: Readonly<Record<'members' | 'devices' | 'public_keys' | 'firewall_rules' | 'api_keys', number>>
  }[]
  /** Accounts of which something does not come. */
  readonly notes: readonly Unreadable[]
  readonly unreadable: readonly Unreadable[]
  readonly tables: readonly FoundTable[]
}

/** @throws {ConfigError} in words for the command line; nothing is written then */
export async function readDump(dump: string, { to, names, now }: DumpOptions): Promise<DumpReport> {
  const tables = openTables(names)
  await readRows(await openDump(dump), tables.takerOf)
  tables.requireAll()
  const origin = { server: basename(dump).slice(0, 1_024), fetched_at: new Date(now()).toISOString() }
  const accounts = readAccounts(tables.rows.users)
  const { files, unreadable } = readNamespaces(tables.rows, accounts, origin)

  const folder = join(to, 'namespaces')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = join(to, 'accounts.json')
  await writeAccountsFile(file, {
    format: 'bowline-import-accounts',
    version: 1,
    source: origin.server,
    read_at: origin.fetched_at,
    accounts: [...accounts.accounts],
    unreadable: [...accounts.unreadable],
  })
  const used = new Set<string>()
  const namespaces = []
  for (const content of files) {
    const path = join(folder, fileNameOf(content, used))
    await writeImportFile(path, content)
    namespaces.push({ file: path, ...summaryOf(content) })
  }
  const rows = tables.flaws.map(({ name, reason }) => ({ what: 'row', name, reason }))
  return {
    accounts: { file, accounts: accounts.accounts.length },
    namespaces,
    notes: accounts.accounts.flatMap((account) => notesOf(account)),
    unreadable: [...rows, ...accounts.unreadable, ...unreadable, ...files.flatMap((one) => one.unreadable)],
    tables: tables.found,
  }
}

/** A dump chooses names of files only as far as they are names of namespaces. */
function fileNameOf({ namespace: { name, tenant_id: tenant } }: ImportFile, used: Set<string>): string {
  const plain = NamespaceName.safeParse(name)
  const chosen = plain.success && !used.has(plain.data) ? plain.data : tenant
  used.add(chosen)
  return `${chosen}.json`
}

function summaryOf({ namespace, members, devices, public_keys, firewall_rules, api_keys }: ImportFile) {
  const { name, tenant_id } = namespace
  const counts = {
    members: members.length,
    devices: devices.length,
    public_keys: public_keys.length,
    firewall_rules: firewall_rules.length,
    api_keys: api_keys.length,
  }
  return { name, tenant_id, counts }
}

function notesOf({ username, was_administrator, had_second_factor }: OldAccount): Unreadable[] {
  const note = (reason: string): Unreadable => ({ what: 'account', name: username, reason })
  return [
    ...(was_administrator ? [note('Administered the server there; here it does not.')] : []),
    ...(had_second_factor ? [note('Had a second factor there, which does not come: it needs a new one.')] : []),
  ]
}

// Names of the accounts and groups of a container, from its own files.
import type { IdNames } from '@bowline/sftp/long-name'

/** @param passwd, group contents of the files; untrusted */
export function namesOf(passwd: Buffer | undefined, group: Buffer | undefined): IdNames {
  const [users, groups] = [byId(passwd), byId(group)]
  return { user: (uid) => users.get(uid), group: (gid) => groups.get(gid) }
}

/** Both files begin with name, password, id; the first row of an id counts. */
function byId(file: Buffer | undefined): ReadonlyMap<number, string> {
  const names = new Map<number, string>()
  for (const line of file?.toString('latin1').split('\n') ?? []) {
    const [name = '', , id = ''] = line.split(':')
    if (/^\d{1,10}$/.test(id) && !names.has(Number(id)) && /^[ -~]{1,32}$/.test(name)) names.set(Number(id), name)
  }
  return names
}

// Names of users and groups by id, from this machine's own files. Ids known only to a directory service are shown as
// numbers: querying it could take long.
import { readFileSync } from 'node:fs'

export class IdNames {
  #users: Map<number, string> | undefined
  #groups: Map<number, string> | undefined

  user(uid: number): string | undefined {
    this.#users ??= namesById('/etc/passwd')
    return this.#users.get(uid)
  }

  group(gid: number): string | undefined {
    this.#groups ??= namesById('/etc/group')
    return this.#groups.get(gid)
  }
}

/** @returns the home directory of a user of passwd(5) */
export function homeOf(name: string): string | undefined {
  return rows('/etc/passwd').find(([user]) => user === name)?.[5]
}

/** Both files begin with name, password, id; the first row of an id counts. */
function namesById(file: string): Map<number, string> {
  const names = new Map<number, string>()
  for (const [name = '', , id = ''] of rows(file)) {
    if (/^\d+$/.test(id) && !names.has(Number(id))) names.set(Number(id), name)
  }
  return names
}

function rows(file: string): string[][] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
  } catch {
    return []
  }
}

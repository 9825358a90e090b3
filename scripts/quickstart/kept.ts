// The quickstart's state in the data folder between runs: `quickstart.json`, readable by its owner only.
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface Kept {
  readonly username: string
  /** Absent once it was found to have been changed: retrying it would lock the account. */
  readonly password?: string
  readonly tenant?: string
  /** `namespace.device` of this machine. */
  readonly sshid?: string
}

const fileOf = (dataFolder: string): string => join(dataFolder, 'quickstart.json')

/**
 * @returns undefined when there is no state
 * @throws {Error} naming the file when it was not written by the quickstart
 */
export async function readKept(dataFolder: string): Promise<Kept | undefined> {
  const file = fileOf(dataFolder)
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const kept = parse(text)
  if (!kept) throw new Error(`${file} is not what npm start has written; remove it, and sign in with your own account.`)
  return kept
}

/** Replaces the state atomically. */
export async function keep(dataFolder: string, kept: Kept): Promise<void> {
  const file = fileOf(dataFolder)
  await writeFile(`${file}.new`, `${JSON.stringify(kept)}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
}

function parse(text: string): Kept | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const texts = new Map(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
  const username = texts.get('username')
  if (username === undefined) return undefined
  const [password, tenant, sshid] = ['password', 'tenant', 'sshid'].map((name) => texts.get(name))
  return { username, ...(password ? { password } : {}), ...(tenant ? { tenant } : {}), ...(sshid ? { sshid } : {}) }
}

// File names: canonical paths, and expansion of `~`. Paths are bytes throughout.
import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { homeOf } from './id-names.ts'
import type { Order } from './order.ts'

const SLASH = 0x2f
const TILDE = 0x7e
/** Limit of chained links, the same as the kernel's. */
const MAX_LINKS = 40

/**
 * Like realpath(3), but the last part need not exist: clients request it before they create a file.
 * @throws a system error
 */
export function canonical(path: Buffer): Buffer {
  let wanted = path.length === 0 ? Buffer.from('.') : path
  for (let links = 0; ; links += 1) {
    try {
      return realpathSync.native(wanted, { encoding: 'buffer' })
    } catch (error) {
      const [folder, name] = split(wanted)
      if (codeOf(error) !== 'ENOENT' || name === undefined || links === MAX_LINKS) throw error
      const target = linkTarget(wanted)
      if (!target) return join(realpathSync.native(folder, { encoding: 'buffer' }), name)
      wanted = target[0] === SLASH ? target : join(folder, target)
    }
  }
}

/** `~`, `~/…`, `~user` and `~user/…`; everything else is unchanged. @throws ENOENT for an unknown user */
export function expandTilde(path: Buffer, { home }: Order): Buffer {
  if (path[0] !== TILDE) return path
  const slash = path.indexOf(SLASH)
  const user = path.subarray(1, slash === -1 ? path.length : slash).toString('utf8')
  const folder = user === '' ? home : homeOf(user)
  if (folder === undefined) throw Object.assign(new Error(`no user ${user}`), { code: 'ENOENT' })
  return slash === -1 ? Buffer.from(folder) : Buffer.concat([Buffer.from(folder), path.subarray(slash)])
}

/** Folder and last part; no last part if it is not a valid name for a new file. */
function split(path: Buffer): [folder: Buffer, name: Buffer | undefined] {
  const slash = path.lastIndexOf(SLASH)
  const name = path.subarray(slash + 1)
  const text = name.toString('latin1')
  const folder = slash === -1 ? Buffer.from('.') : path.subarray(0, Math.max(slash, 1))
  return [folder, text === '' || text === '.' || text === '..' ? undefined : name]
}

function join(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat(folder.at(-1) === SLASH ? [folder, name] : [folder, Buffer.from('/'), name])
}

function linkTarget(path: Buffer): Buffer | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path, { encoding: 'buffer' }) : undefined
  } catch {
    return undefined
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

// One process at a time installs dependencies or builds a part in a checkout. Plain JavaScript for any host Node.
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../project-node.js'

const POLL_MS = 200
/** No install or build takes so long: the process id belongs to another process by now. */
const STALE_MS = 30 * 60_000
const pause = new Int32Array(new SharedArrayBuffer(4))

/**
 * Waits until no other process holds the lock, and takes it. A process that has ended holds none.
 * @param {string} name of what is locked, as in a file name
 * @param {string} [folder] of the lock; default: the checkout's cache
 * @returns {() => void} release
 */
export function takeCheckoutLock(name, folder = join(root, '.cache')) {
  const file = join(folder, `${name}.lock`)
  const own = `${file}.${process.pid}`
  mkdirSync(folder, { recursive: true })
  // Linked when complete: nobody reads an empty lock.
  writeFileSync(own, String(process.pid))
  try {
    for (let waits = 0; !linked(own, file); waits += 1) {
      const holder = holderOf(file)
      if (holder === undefined) rmSync(file, { force: true })
      else {
        if (waits === 0) console.error(`Waiting for process ${holder}, which works on the same (${name}) …`)
        Atomics.wait(pause, 0, 0, POLL_MS)
      }
    }
  } finally {
    rmSync(own)
  }
  return () => rmSync(file, { force: true })
}

/** @returns {boolean} false where the lock exists */
function linked(own, file) {
  try {
    linkSync(own, file)
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

/** @returns {number | undefined} the process with the lock, unless it has ended */
function holderOf(file) {
  try {
    const holder = Number(readFileSync(file, 'utf8'))
    if (Date.now() - statSync(file).mtimeMs > STALE_MS) return undefined
    process.kill(holder, 0)
    return holder
  } catch (error) {
    // Another user's process.
    return error.code === 'EPERM' ? 0 : undefined
  }
}

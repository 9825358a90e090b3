// Password hashes by the system's own crypt(3), which supports every method in this machine's shadow file. Runs on a
// worker thread: a yescrypt hash takes tens of milliseconds, which must not block the event loop.
import koffi, { type LibraryHandle } from 'koffi'
import { cMemory, cString } from './memory.ts'
import { onWorker } from './worker.ts'

/** `struct crypt_data` is 32 KiB in libxcrypt and 128 KiB in older glibc. */
const CRYPT_DATA_BYTES = 256 * 1024
const LIBRARIES = ['libcrypt.so.1', 'libcrypt.so.2', 'libcrypt.so']

/**
 * @param password as the user typed it
 * @param setting a hash or its leading part with method and salt
 * @returns the hash, or undefined when the library does not support the method
 */
export type Crypt = (password: string, setting: string) => Promise<string | undefined>

/** The system's crypt(3); undefined where there is no libcrypt. */
export function systemCrypt(): Crypt | undefined {
  for (const name of LIBRARIES) {
    try {
      return bind(koffi.load(name))
    } catch {
      // Try the next name.
    }
  }
  return undefined
}

function bind(library: LibraryHandle): Crypt {
  const cryptR: (password: Buffer, setting: Buffer, data: Buffer) => Promise<bigint | null> = onWorker(
    library.func('void *crypt_r(const void *password, const void *setting, void *data)'),
  )
  return async (password, setting) => {
    if (password.includes('\0') || setting.includes('\0')) return undefined
    const data = cMemory(CRYPT_DATA_BYTES)
    const key = cString(password)
    try {
      const answer = await cryptR(key, cString(setting), data)
      if (!answer) return undefined
      const hash = koffi.decode.string(answer)
      // crypt(3): failure tokens start with an asterisk.
      return hash.startsWith('*') ? undefined : hash
    } finally {
      key.fill(0)
      data.fill(0)
    }
  }
}

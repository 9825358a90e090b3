import koffi from 'koffi'

const libc = koffi.load(null)

/** Whether the system has a shared library, by its soname; nothing of it stays loaded. */
export function hasLibrary(name: string): boolean {
  try {
    koffi.load(name).unload()
    return true
  } catch {
    return false
  }
}

/** A function that a C library other than glibc may not have. @param signature as C declares it */
export function optionalFunction(signature: string): ReturnType<typeof libc.func> | undefined {
  try {
    return libc.func(signature)
  } catch {
    return undefined
  }
}

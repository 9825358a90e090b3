import koffi from 'koffi'

const libc = koffi.load(null)

/** Whether the system has a shared library, by its soname; it does not stay loaded. */
export function hasLibrary(name: string): boolean {
  try {
    koffi.load(name).unload()
    return true
  } catch {
    return false
  }
}

/** A function that C libraries other than glibc may lack. @param signature in C syntax */
export function optionalFunction(signature: string): ReturnType<typeof libc.func> | undefined {
  try {
    return libc.func(signature)
  } catch {
    return undefined
  }
}

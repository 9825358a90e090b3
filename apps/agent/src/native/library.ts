import koffi from 'koffi'

/** Whether the system has a shared library, by its soname; nothing of it stays loaded. */
export function hasLibrary(name: string): boolean {
  try {
    koffi.load(name).unload()
    return true
  } catch {
    return false
  }
}

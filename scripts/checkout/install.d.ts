/** Entries of a lockfile of npm by their paths. */
interface Lockfile {
  readonly packages: Readonly<
    Record<string, { readonly version?: string; readonly link?: boolean; readonly optional?: boolean }>
  >
}

export function lockHash(): string
export function ensureInstalled(): void
export function hasInstalled(lock: Lockfile, installed: Lockfile): boolean

// The package that a program was installed by. Its marker lies beside the program: a package manager replaces such a
// program, and no server can make it replace itself.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { ownBundle } from './own-program.ts'

/** Name of the marker. */
export const PACKAGE_FILE = 'managed-by.json'

export const PackageMarker = z.object({
  /** Command of the package manager. */
  manager: z.string(),
  /** Name of the package. */
  package: z.string(),
  /** Name of the folder of this version, as archives of the agent have it. */
  program: z.string().regex(/^bowline-agent-[0-9][A-Za-z0-9.+-]{0,100}$/),
  /** Number of the signed release that it is of; 0: of none. */
  release: z.int().min(0),
})
export type PackageMarker = z.infer<typeof PackageMarker>

/** @param folder of a program @returns undefined when no package has put it there */
export function packageIn(folder: string): PackageMarker | undefined {
  try {
    return PackageMarker.parse(JSON.parse(readFileSync(join(folder, PACKAGE_FILE), 'utf8')))
  } catch {
    return undefined
  }
}

/** The package of this process's program; undefined: it was installed otherwise, or runs from a checkout. */
export function ownPackage(): PackageMarker | undefined {
  const bundle = ownBundle()
  return bundle === undefined ? undefined : packageIn(bundle)
}

/** One line for people: why this agent does not update itself. */
export function managedBy({ manager, package: name }: PackageMarker): string {
  return `it is of the package ${name}, which ${manager} upgrades`
}

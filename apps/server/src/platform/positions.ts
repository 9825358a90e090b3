// Locates addresses on the map, from a MaxMind DB (MMDB) file of the operator. Without one, and for addresses that it
// does not know, the position is 0, 0: existing clients take that for unknown.
import { readFile } from 'node:fs/promises'
import { Reader } from 'mmdb-lib'
import { z } from 'zod'

export interface Position {
  /** Degrees, north positive. */
  readonly latitude: number
  /** Degrees, east positive. */
  readonly longitude: number
}

/** Never fails: an address that cannot be looked up is nowhere. */
export type Locate = (address: string) => Position

const NOWHERE: Position = { latitude: 0, longitude: 0 }

export const nowhere: Locate = () => NOWHERE

/** What is read of an entry; city databases have it, others do not. */
const Entry = z.object({
  location: z.object({ latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) }),
})

/**
 * Loads an MMDB file into memory.
 * @param file path
 * @throws {Error} when it cannot be read or is no such file
 */
export async function openPositions(file: string): Promise<Locate> {
  const bytes = await readFile(file)
  const reader = new Reader(bytes)
  return (address) => {
    try {
      return Entry.safeParse(reader.get(address)).data?.location ?? NOWHERE
    } catch {
      // No address, or an entry of a damaged file.
      return NOWHERE
    }
  }
}

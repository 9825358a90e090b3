// Locates addresses on the map with the operator's MaxMind DB (MMDB) file. Without one, and for unknown addresses, the
// position is 0, 0, which existing clients treat as unknown.
import { readFile } from 'node:fs/promises'
import { Reader } from 'mmdb-lib'
import { z } from 'zod'

export interface Position {
  /** Degrees, north positive. */
  readonly latitude: number
  /** Degrees, east positive. */
  readonly longitude: number
}

/** Never throws: an unknown address is at 0, 0. */
export type Locate = (address: string) => Position

const NOWHERE: Position = { latitude: 0, longitude: 0 }

export const nowhere: Locate = () => NOWHERE

/** Fields read from an entry; city databases have them, others do not. */
const Entry = z.object({
  location: z.object({ latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) }),
})

/**
 * Loads an MMDB file into memory.
 * @param file path
 * @throws {Error} when it cannot be read or is not an MMDB file
 */
export async function openPositions(file: string): Promise<Locate> {
  const bytes = await readFile(file)
  const reader = new Reader(bytes)
  return (address) => {
    try {
      return Entry.safeParse(reader.get(address)).data?.location ?? NOWHERE
    } catch {
      // Not an address, or an entry of a damaged file.
      return NOWHERE
    }
  }
}

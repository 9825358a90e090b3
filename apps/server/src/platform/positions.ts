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

/** Names of city and country of an address, such as `Berlin, Germany`. Never throws: '' when unknown. */
export type Place = (address: string) => string

export interface Positions {
  readonly locate: Locate
  readonly place: Place
}

const NOWHERE: Position = { latitude: 0, longitude: 0 }

export const nowhere: Locate = () => NOWHERE

/** Positions of a server without a file. */
export const NO_POSITIONS: Positions = { locate: nowhere, place: () => '' }

/** Fields read from an entry; city databases have them, others do not. */
const Entry = z.object({
  location: z.object({ latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) }),
})

/** Names, of which country databases have the last only. */
const Names = z.object({
  city: z.object({ names: z.object({ en: z.string() }) }).optional(),
  country: z.object({ names: z.object({ en: z.string() }) }).optional(),
})

/**
 * Loads an MMDB file into memory.
 * @param file path
 * @throws {Error} when it cannot be read or is not an MMDB file
 */
export async function openPositions(file: string): Promise<Positions> {
  const bytes = await readFile(file)
  const reader = new Reader(bytes)
  const entryOf = (address: string): unknown => {
    try {
      return reader.get(address)
    } catch {
      // Not an address, or an entry of a damaged file.
      return undefined
    }
  }
  return {
    locate: (address) => Entry.safeParse(entryOf(address)).data?.location ?? NOWHERE,
    place: (address) => {
      const { city, country } = Names.safeParse(entryOf(address)).data ?? {}
      return [city, country].flatMap((one) => (one ? [one.names.en] : [])).join(', ')
    },
  }
}

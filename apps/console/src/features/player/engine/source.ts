// Where a player gets events from: parts of a recording, each of which can be shown without those before it.
import type { CastEvent } from '@bowline/asciicast/cast'

export interface Part {
  /** Times in milliseconds since the start of the recording. */
  readonly fromMs: number
  /** The next part begins here; Infinity for the last one. */
  readonly toMs: number
  /** Size of the terminal when it begins. */
  readonly columns: number
  readonly rows: number
  /** In order. The first one may show what was on the screen when the part begins. A growing part gets more. */
  readonly events: readonly CastEvent[]
  /** Whoever comes from the part before has seen everything up to here. */
  readonly seenMs: number
}

export interface Source {
  /** Time of the last event that is known. */
  readonly endMs: number
  /** Whether more may come. */
  readonly growing: boolean
  /** The part with a time. Rejects when it cannot be read. */
  at(ms: number): Promise<Part>
  /** The part behind one; undefined when that is the last. */
  after(part: Part): Promise<Part> | undefined
  /** The same if it is there already. */
  ready(part: Part): Part | undefined
  close(): void
}

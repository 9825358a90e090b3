// Interface of event sources: a recording in parts, each of which can be shown without those before it.
import type { CastEvent } from '@bowline/asciicast/cast'

export interface Part {
  /** Times in milliseconds since the start of the recording. */
  readonly fromMs: number
  /** Start of the next part; Infinity for the last one. */
  readonly toMs: number
  /** Terminal size at its start. */
  readonly columns: number
  readonly rows: number
  /** False for a command that ran without one: nothing has added a carriage return to the ends of its lines. */
  readonly hasTerminal: boolean
  /** In order. The first one may restore the screen at the part's start. A growing part gets more. */
  readonly events: readonly CastEvent[]
  /** Playback coming from the previous part has already shown everything up to here. */
  readonly seenMs: number
}

export interface Source {
  /** Time of the end, which may be after the last event; of one that grows, time of the last known event. */
  readonly endMs: number
  /** True while more may follow. */
  readonly growing: boolean
  /** The part that contains a time. Rejects when it cannot be read. */
  at(ms: number): Promise<Part>
  /** The part after another; undefined after the last. */
  after(part: Part): Promise<Part> | undefined
  /** The loaded part if it is cached; undefined otherwise. */
  ready(part: Part): Part | undefined
  close(): void
}

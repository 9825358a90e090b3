// Reads a recording once through a terminal emulator: extracts keyframes, visible text and commands.
import type { FileHandle } from 'node:fs/promises'
import type { CastEvent, CastHeader } from '@bowline/asciicast/cast'
import { createCastReader } from '@bowline/asciicast/read'
import type { Keyframe } from '../file/index-file.ts'
import { lines } from '../file/reading.ts'
import { type Screen, createScreen } from './screen.ts'

/** Bytes of the recording between two keyframes: the most that a player reads to show any time. */
const KEYFRAME_BYTES = 65_536
/** Indexing stops here, without further keyframes or text: it took a minute of a processor already. */
export const INDEXED_BYTES = 536_870_912
/** Text visible for this long counts as readable. */
const GLANCE_MS = 100
/** Or after this many characters of output. */
const GLANCE_CHARACTERS = 16_384
/** A silence of at least this length is idle: the player skips those. */
const IDLE_MS = 2_000

export interface Found {
  keyframe(keyframe: Keyframe, screen: string): Promise<void>
  /** A line of text at its first appearance. */
  line(atMs: number, text: string): void
  /** A command that the shell has marked. */
  command?(atMs: number, text: string): void
  /** Called periodically so that lines can be stored; reading continues when it resolves. */
  pause(): Promise<void>
}

export interface ReadFacts {
  /** Time of the last event, in milliseconds. */
  readonly atMs: number
  /** Idle times until then, in milliseconds. */
  readonly idleMs: number
  /** Commands that failed; undefined where the shell tells none. */
  readonly failed: number | undefined
}

export async function readThrough(file: FileHandle, found: Found): Promise<ReadFacts> {
  const reader = createCastReader()
  const keyframes: [Keyframe, string][] = []
  let screen: Screen | undefined
  let offset = 0
  let atMs = 0
  let idleMs = 0
  let lastKeyframe = 0
  let unseen = 0

  async function open({ columns, rows, term }: CastHeader): Promise<Screen> {
    const hasTerminal = term !== undefined
    const opened = await createScreen({
      columns,
      rows,
      hasTerminal,
      line: (at, text) => found.line(at, text),
      command: (at, text) => found.command?.(at, text),
    })
    keep(opened)
    return opened
  }

  function show(on: Screen, { atMs: now, code, data }: CastEvent): void {
    if (unseen > 0 && (now - atMs >= GLANCE_MS || unseen >= GLANCE_CHARACTERS)) {
      on.look(atMs)
      unseen = 0
    }
    if (code === 'o') {
      on.write(data, now)
      unseen += data.length
    } else if (code === 'r') {
      const [columns = 0, rows = 0] = data.split('x').map(Number)
      on.look(atMs)
      on.resize(columns, rows)
    }
    atMs = now
    if (offset - lastKeyframe >= KEYFRAME_BYTES && !endsInSequence(data)) keep(on)
  }

  function keep(on: Screen): void {
    const place = { atMs, offset }
    lastKeyframe = offset
    on.picture((picture, columns, rows) => keyframes.push([{ ...place, columns, rows }, picture]))
  }

  for await (const some of lines(file)) {
    for (const line of some) {
      const event = reader.next(line)
      offset += Buffer.byteLength(line)
      if (reader.header) screen ??= await open(reader.header)
      if (event && event.atMs - atMs >= IDLE_MS) idleMs += event.atMs - atMs
      if (event && screen && offset <= INDEXED_BYTES) show(screen, event)
      else if (event) ({ atMs } = event)
    }
    await screen?.settled()
    for (const [keyframe, picture] of keyframes.splice(0)) await found.keyframe(keyframe, picture)
    await found.pause()
  }
  screen?.look(atMs)
  await screen?.settled()
  const failed = screen?.failedCommands()
  screen?.close()
  await found.pause()
  return { atMs, idleMs, failed }
}

/** True if output ends within a control sequence: a snapshot would lose its beginning. */
export function endsInSequence(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- control sequences are what it is about
  return /\u001b(?:[ -/]*|\[[0-?]*[ -/]*|[\]P_^X][^\u0007\u001b]*\u001b?)$/.test(text.slice(-4_096))
}

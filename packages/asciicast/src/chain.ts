// The hash chain of a recording: each chunk's hash includes the previous one and is signed, so that changing, removing
// or moving a chunk is detected. Chain and seal are comments of the file (README.md).
import { createHash } from 'node:crypto'

/** Ed25519 over the text. @returns the signature as base64url */
export type Sign = (text: string) => string

/**
 * How a recording ended: completely; truncated for lack of disk space; or found without a seal at server start, which
 * is the result of a crash, but also of somebody truncating the file.
 */
export const SEAL_STATES = ['complete', 'truncated', 'interrupted'] as const
export type SealState = (typeof SEAL_STATES)[number]

/** The last line of a recording. */
export interface Seal {
  /** Id of the recording. */
  readonly recording: string
  readonly chunks: number
  /** Hash of the last chunk, hex. */
  readonly hash: string
  readonly state: SealState
  /** Time of the last event, in milliseconds since the start. */
  readonly atMs: number
}

/** Position of a chain. */
export interface ChainState {
  /** Chunks closed so far. */
  readonly chunks: number
  /** Hash of the last of them, hex; of the recording's id before the first. */
  readonly hash: string
}

export interface Chain {
  readonly state: ChainState
  /** Bytes of the open chunk. */
  readonly openBytes: number
  /** Adds written bytes. @returns undo, valid until others are added */
  add(bytes: Uint8Array): () => void
  /** Closes the chunk. @returns its line; '' when nothing was added since the last one */
  closeChunk(): string
  /** The last line, and its seal; the chunk before it must be closed. */
  seal(state: SealState, atMs: number): { readonly line: string; readonly seal: Seal }
}

/** @param from state at which an earlier process stopped */
export function createChain(recording: string, sign: Sign, from: ChainState = firstState(recording)): Chain {
  let { chunks, hash } = from
  let open = createHash('sha256').update(Buffer.from(hash, 'hex'))
  let openBytes = 0
  return {
    get state() {
      return { chunks, hash }
    },
    get openBytes() {
      return openBytes
    },
    add(bytes) {
      const before = { open: open.copy(), openBytes }
      open.update(bytes)
      openBytes += bytes.length
      return () => {
        ;({ open, openBytes } = before)
      }
    },
    closeChunk() {
      if (openBytes === 0) return ''
      hash = open.digest('hex')
      const line = `# chunk ${chunks} ${hash} ${sign(chunkText(recording, chunks, hash))}\n`
      chunks += 1
      open = createHash('sha256').update(Buffer.from(hash, 'hex'))
      openBytes = 0
      return line
    },
    seal(state, atMs) {
      const seal: Seal = { recording, chunks, hash, state, atMs }
      const text = JSON.stringify(seal)
      return { line: `# seal ${text} ${sign(sealText(text))}\n`, seal }
    },
  }
}

export function firstState(recording: string): ChainState {
  return { chunks: 0, hash: createHash('sha256').update(`bowline recording ${recording}`).digest('hex') }
}

/** The text that a chunk's signature covers. */
export function chunkText(recording: string, chunk: number, hash: string): string {
  return `bowline recording chunk ${recording} ${chunk} ${hash}`
}

/** The text that a seal's signature covers. */
export function sealText(seal: string): string {
  return `bowline recording seal ${seal}`
}

/** A line of the chain; undefined for any other line. */
export type ChainLine =
  | { readonly kind: 'chunk'; readonly chunk: number; readonly hash: string; readonly signature: string }
  | { readonly kind: 'seal'; readonly seal: Seal; readonly text: string; readonly signature: string }

/** 64 bytes as base64url: only two bits of the last character are used, the others must be zero. */
const CHUNK = /^# chunk (\d{1,10}) ([0-9a-f]{64}) ([\w-]{85}[AQgw])\n$/
const SEAL = /^# seal (\{[^\n]{1,1000}\}) ([\w-]{85}[AQgw])\n$/

/** @param line with its newline */
export function readChainLine(line: string): ChainLine | undefined {
  const [, chunk, hash, signature] = CHUNK.exec(line) ?? []
  if (chunk !== undefined && hash !== undefined && signature !== undefined) {
    return { kind: 'chunk', chunk: Number(chunk), hash, signature }
  }
  const [, text, sealed] = SEAL.exec(line) ?? []
  const seal = text === undefined ? undefined : readSeal(text)
  return seal && text !== undefined && sealed !== undefined
    ? { kind: 'seal', seal, text, signature: sealed }
    : undefined
}

function readSeal(text: string): Seal | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const { recording, chunks, hash, state, atMs }: Readonly<Record<string, unknown>> = { ...value }
  if (typeof recording !== 'string' || typeof hash !== 'string') return undefined
  if (typeof chunks !== 'number' || typeof atMs !== 'number') return undefined
  const known = SEAL_STATES.find((one) => one === state)
  return known && { recording, chunks, hash, state: known, atMs }
}

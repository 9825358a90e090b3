// The data model of a terminal recording, independent of the asciicast version
// (https://docs.asciinema.org/manual/asciicast/v2/ and /v3/).

export interface CastHeader {
  readonly columns: number
  readonly rows: number
  /** `TERM` of the terminal. */
  readonly term?: string
  /** Start of the recording in whole seconds since the epoch. */
  readonly timestamp?: number
}

/** Output, a new size as `COLUMNSxROWS`, an exit status, a marker, input. Readers skip unknown codes. */
export type CastCode = 'o' | 'r' | 'x' | 'm' | 'i'

export interface CastEvent {
  /** Milliseconds since the start; files may have fractions of them. */
  readonly atMs: number
  readonly code: CastCode
  readonly data: string
}

const CODES: ReadonlySet<string> = new Set<CastCode>(['o', 'r', 'x', 'm', 'i'])

export function isCastCode(code: unknown): code is CastCode {
  return typeof code === 'string' && CODES.has(code)
}

/** A file is not a valid asciicast. */
export class CastError extends Error {
  /** Line at fault, from 1. */
  readonly line: number
  constructor(line: number, rule: string) {
    super(`line ${line}: ${rule}`)
    this.name = 'CastError'
    this.line = line
  }
}

// Reads asciicast versions 2 and 3 line by line: files of any size in little memory.
import { CastError, type CastEvent, type CastHeader, isCastCode } from './cast.ts'

export interface CastReader {
  /** From the first line; undefined until that has been read. */
  readonly header: CastHeader | undefined
  /**
   * Reads the next line, with or without its newline.
   * @returns undefined for the header, a comment, an empty line, or an event with an unknown code
   * @throws {CastError} when the line is not valid in an asciicast
   */
  next(line: string): CastEvent | undefined
}

/** @param from a position in a version 3 file after its header: the header, and the time of the last event */
export function createCastReader(from?: { readonly header: CastHeader; readonly atMs: number }): CastReader {
  let header: (CastHeader & { readonly version: 2 | 3 }) | undefined = from && { ...from.header, version: 3 }
  let number = 0
  let lastMs = from?.atMs ?? 0

  function toEvent(value: unknown, version: 2 | 3): CastEvent | undefined {
    if (!Array.isArray(value)) throw new CastError(number, 'is not an event')
    const [time, code, data]: unknown[] = value
    if (typeof time !== 'number' || !(time >= 0) || !Number.isFinite(time)) throw new CastError(number, 'has no time')
    if (typeof code !== 'string' || typeof data !== 'string') throw new CastError(number, 'has no code or no data')
    // Files have at most microsecond precision; rounding keeps sums of intervals from accumulating error.
    lastMs = Math.round((version === 3 ? lastMs + time * 1_000 : time * 1_000) * 1_000) / 1_000
    return isCastCode(code) ? { atMs: lastMs, code, data } : undefined
  }

  return {
    get header() {
      return header
    },
    next(line) {
      number += 1
      if (line.startsWith('#') || line.trim() === '') return undefined
      const value = parse(line, number)
      if (header) return toEvent(value, header.version)
      header = toHeader(value, number)
      return undefined
    },
  }
}

function parse(line: string, number: number): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new CastError(number, 'is not JSON')
  }
}

function toHeader(value: unknown, number: number): CastHeader & { readonly version: 2 | 3 } {
  const top = asObject(value)
  const { version } = top
  if (version !== 2 && version !== 3) throw new CastError(number, 'is not version 2 or 3')
  const terminal = version === 3 ? asObject(top['term']) : top
  const columns = terminal[version === 3 ? 'cols' : 'width']
  const rows = terminal[version === 3 ? 'rows' : 'height']
  if (!isSize(columns) || !isSize(rows)) throw new CastError(number, 'has no terminal size')
  const term = version === 3 ? terminal['type'] : asObject(top['env'])['TERM']
  const { timestamp } = top
  return {
    version,
    columns,
    rows,
    ...(typeof term === 'string' ? { term } : {}),
    ...(typeof timestamp === 'number' ? { timestamp } : {}),
  }
}

function isSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

// A directory being read in batches: it may hold more names than memory.
import { type Dir, lstatSync, type OpenDirOptions, opendirSync } from 'node:fs'
import type { NameEntry } from '@bowline/sftp/fields'
import { attributesOf } from './attributes.ts'
import type { IdNames } from './id-names.ts'
import { longName } from '@bowline/sftp/long-name'

/** Names per response: with names of 255 bytes and their long names well below the largest packet. */
const BATCH_NAMES = 100
const READ_NAMES = 256
const DOTS = [Buffer.from('.'), Buffer.from('..')]
const SLASH = Buffer.from('/')

export class Listing {
  readonly #path: Buffer
  readonly #names: IdNames
  readonly #dir: Dir
  /** Entries that the system lists but Node omits. */
  readonly #first = [...DOTS]

  /** @throws a system error when the directory cannot be read */
  constructor(path: Buffer, names: IdNames) {
    this.#path = Buffer.from(path)
    this.#names = names
    this.#dir = opendirSync(this.#path, NAMES_AS_BYTES)
  }

  /** The next names; empty at the end. */
  next(): NameEntry[] {
    const entries: NameEntry[] = []
    while (entries.length < BATCH_NAMES) {
      const name = this.#first.shift() ?? nameOf(this.#dir.readSync())
      if (!name) break
      const entry = this.#entry(name)
      if (entry) entries.push(entry)
    }
    return entries
  }

  close(): void {
    this.#dir.closeSync()
  }

  /** @returns undefined when the file has been removed meanwhile, or is hidden */
  #entry(name: Buffer): NameEntry | undefined {
    try {
      const stats = lstatSync(Buffer.concat([this.#path, SLASH, name]))
      return { name, longName: longName(name, stats, this.#names), attributes: attributesOf(stats) }
    } catch {
      return undefined
    }
  }
}

// Node's types only allow text.
const encoding: unknown = 'buffer'
const NAMES_AS_BYTES: OpenDirOptions = { encoding: encoding as BufferEncoding, bufferSize: READ_NAMES }

function nameOf(entry: { readonly name: unknown } | null): Buffer | undefined {
  if (!entry) return undefined
  if (!Buffer.isBuffer(entry.name)) throw new TypeError('a name was decoded')
  return entry.name
}

// Open files and directories by their client handles.
import { closeSync } from 'node:fs'
import { STATUS } from '@bowline/sftp/protocol'
import type { Listing } from './listing.ts'
import { Refusal } from '@bowline/sftp/status'

/** Limit of open handles; OpenSSH allows as many as the usual limit of open files. */
export const MAX_HANDLES = 1_000

export interface OpenFile {
  readonly fd: number
  readonly path: Buffer
}

export class Handles {
  readonly #files = new Map<number, OpenFile>()
  readonly #listings = new Map<number, Listing>()
  #next = 0

  /** @throws {Refusal} when too many are open */
  checkRoom(): void {
    if (this.#files.size + this.#listings.size >= MAX_HANDLES) throw new Refusal(STATUS.failure)
  }

  addFile(file: OpenFile): Buffer {
    return this.#add(this.#files, file)
  }

  addListing(listing: Listing): Buffer {
    return this.#add(this.#listings, listing)
  }

  /** @returns undefined when the handle is not an open file */
  find(handle: Buffer): OpenFile | undefined {
    return this.#files.get(numberOf(handle))
  }

  /** @throws {Refusal} when the handle is not an open file */
  file(handle: Buffer): OpenFile {
    return found(this.find(handle))
  }

  /** @throws {Refusal} when the handle is not an open directory */
  listing(handle: Buffer): Listing {
    return found(this.#listings.get(numberOf(handle)))
  }

  /** @throws {Refusal} when the handle is not open */
  close(handle: Buffer): void {
    const number = numberOf(handle)
    const file = this.#files.get(number)
    const listing = this.#listings.get(number)
    if (!file && !listing) throw new Refusal(STATUS.noSuchFile)
    this.#files.delete(number)
    this.#listings.delete(number)
    listing?.close()
    if (file) closeSync(file.fd)
  }

  closeAll(): void {
    for (const { fd } of this.#files.values()) closeSync(fd)
    for (const listing of this.#listings.values()) listing.close()
    this.#files.clear()
    this.#listings.clear()
  }

  /** Numbers are not reused soon: a closed handle must not refer to another file. */
  #add<T>(table: Map<number, T>, entry: T): Buffer {
    while (this.#files.has(this.#next) || this.#listings.has(this.#next)) this.#next = (this.#next + 1) >>> 0
    table.set(this.#next, entry)
    const handle = Buffer.alloc(4)
    handle.writeUInt32BE(this.#next)
    this.#next = (this.#next + 1) >>> 0
    return handle
  }
}

function numberOf(handle: Buffer): number {
  return handle.length === 4 ? handle.readUInt32BE() : -1
}

function found<T>(entry: T | undefined): T {
  if (entry === undefined) throw new Refusal(STATUS.failure)
  return entry
}

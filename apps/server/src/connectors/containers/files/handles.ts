// Open files and read folders of a session, by the handles that its client has.
import type { NameEntry } from '@bowline/sftp/fields'
import { STATUS } from '@bowline/sftp/protocol'
import { Refusal } from '@bowline/sftp/status'
import { OpenFile } from './file.ts'

/** Folders that a session may read at once; each is in memory. */
const MAX_LISTS = 16

export class Handles {
  readonly #open = new Map<string, OpenFile | NameEntry[]>()
  #next = 0

  files(): OpenFile[] {
    return [...this.#open.values()].filter((one) => one instanceof OpenFile)
  }

  /** @throws {Refusal} when too many folders are being read */
  checkRoom(): void {
    if (this.#open.size - this.files().length >= MAX_LISTS) throw new Refusal(STATUS.failure)
  }

  /** Numbers are not used again: a closed handle must not lead to another file. */
  add(one: OpenFile | NameEntry[]): Buffer {
    const handle = Buffer.alloc(4)
    handle.writeUInt32BE((this.#next = (this.#next + 1) >>> 0))
    this.#open.set(handle.toString('hex'), one)
    return handle
  }

  /** @throws {Refusal} when the handle is not an open file */
  file(handle: Buffer): OpenFile {
    const one = this.#open.get(handle.toString('hex'))
    if (one instanceof OpenFile) return one
    throw new Refusal(STATUS.failure)
  }

  /** @returns what is left of a folder. @throws {Refusal} when the handle is none */
  list(handle: Buffer): NameEntry[] {
    const one = this.#open.get(handle.toString('hex'))
    if (Array.isArray(one)) return one
    throw new Refusal(STATUS.failure)
  }

  /** @throws {Refusal} when the handle is not open */
  remove(handle: Buffer): OpenFile | NameEntry[] {
    const one = this.#open.get(handle.toString('hex'))
    if (!one) throw new Refusal(STATUS.noSuchFile)
    this.#open.delete(handle.toString('hex'))
    return one
  }
}

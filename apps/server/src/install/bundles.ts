// The agent's bundles, one per architecture. A release contains them; a checkout builds one on the first request of a
// device, so that start-up need not wait for it.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import type { Clock } from '@bowline/base/clock'
import type { Log } from '../platform/log.ts'

export const ARCHITECTURES = ['x64', 'arm64'] as const
export type Architecture = (typeof ARCHITECTURES)[number]

const RETRY_MS = 60_000

/** A missing bundle, with the reason for the client. */
export interface NoBundle {
  readonly reason: string
}

export class Bundles {
  readonly #files: { readonly bundles: string; readonly maker: string }
  readonly #clock: Clock
  readonly #log: Log
  /** Time of the last failed attempt. */
  readonly #failedAt = new Map<Architecture, number>()
  /** One build per server process; concurrent requests share it. */
  readonly #made = new Map<Architecture, Promise<NoBundle | undefined>>()
  /** Architectures that this process has built. */
  readonly #done = new Set<Architecture>()
  /** SHA-256 of each file when it was read, by path; `state` detects changes. */
  readonly #sums = new Map<string, { readonly state: string; readonly sum: Promise<string> }>()

  /** @param files `bundles`: folder of `bundle-linux-<arch>.tar.gz`; `maker`: script that makes one, if it exists */
  constructor(files: { readonly bundles: string; readonly maker: string }, clock: Clock, log: Log) {
    this.#files = files
    this.#clock = clock
    this.#log = log
  }

  /** Path of the bundle for an architecture. */
  async path(arch: Architecture): Promise<string | NoBundle> {
    const file = this.#fileOf(arch)
    const failure = this.#isMade ? await this.#making(arch) : undefined
    // An earlier build is better than none.
    if (existsSync(file)) return file
    return failure ?? { reason: 'it is not part of this server' }
  }

  /** SHA-256 of the bundle for an architecture, in hexadecimal. */
  async sum(arch: Architecture): Promise<string | NoBundle> {
    const file = await this.path(arch)
    return typeof file === 'string' ? this.#sumOf(file) : file
  }

  /**
   * SHA-256 of the bundle for an architecture, in hexadecimal, without building one: undefined without a bundle, and in
   * a checkout until this process has built it, because its bytes are not known yet.
   */
  async knownSum(arch: Architecture): Promise<string | undefined> {
    const file = this.#fileOf(arch)
    if (!existsSync(file) || (this.#isMade && !this.#done.has(arch))) return undefined
    return this.#sumOf(file)
  }

  /** SHA-256 of the bundle as it lies here, whether or not it would be built anew; undefined without one. */
  async servedSum(arch: Architecture): Promise<string | undefined> {
    const file = this.#fileOf(arch)
    return existsSync(file) ? this.#sumOf(file) : undefined
  }

  /** Path of the archive for agents that update, which a signed release has; undefined without one. */
  smallPath(arch: Architecture): string | undefined {
    const file = this.#fileOf(arch).replace(/\.gz$/, '.zst')
    return existsSync(file) ? file : undefined
  }

  /** SHA-256 of that archive. */
  async smallSum(arch: Architecture): Promise<string | undefined> {
    const file = this.smallPath(arch)
    return file === undefined ? undefined : this.#sumOf(file)
  }

  #fileOf(arch: Architecture): string {
    return join(this.#files.bundles, bundleName(arch))
  }

  /** True if bundles are built here, as in a checkout. */
  get #isMade(): boolean {
    return existsSync(this.#files.maker)
  }

  async #sumOf(file: string): Promise<string> {
    const { size, mtimeMs, ino } = await stat(file)
    const state = `${ino} ${size} ${mtimeMs}`
    const known = this.#sums.get(file)
    if (known?.state === state) return known.sum
    const hash = createHash('sha256')
    const sum = pipeline(createReadStream(file), hash).then(() => hash.digest('hex'))
    this.#sums.set(file, { state, sum })
    return sum
  }

  #making(arch: Architecture): Promise<NoBundle | undefined> {
    let making = this.#made.get(arch)
    // Requests need no credential: a failed build is not repeated for each of them.
    if (!making || this.#clock.now() - (this.#failedAt.get(arch) ?? Infinity) > RETRY_MS) {
      this.#failedAt.delete(arch)
      making = this.#make(arch)
      this.#made.set(arch, making)
    }
    return making
  }

  async #make(arch: Architecture): Promise<NoBundle | undefined> {
    try {
      await promisify(execFile)(process.execPath, [this.#files.maker, `agent-${arch}`], { env: process.env })
      this.#done.add(arch)
      return undefined
    } catch (error) {
      const reason = reasonOf(error)
      this.#failedAt.set(arch, this.#clock.now())
      this.#log.warn('agent.bundle-failed', { arch, reason })
      return { reason }
    }
  }
}

/** File name of an architecture's bundle, here and on devices. */
export function bundleName(arch: Architecture): string {
  return `bundle-linux-${arch}.tar.gz`
}

/** Extracts the message from Node's report of a fatal error. */
function reasonOf(error: unknown): string {
  const report = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
  return /^\w*Error: (.+)$/m.exec(report)?.[1] ?? 'it could not be built'
}

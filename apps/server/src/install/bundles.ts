// The agent's bundles, one for each architecture. A release brings them; in a checkout the first device that asks for
// one makes the server build it, so that nobody waits for it who adds no device.
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

/** A bundle that is not to be had; the reason is for whoever asked. */
export interface NoBundle {
  readonly reason: string
}

export class Bundles {
  readonly #files: { readonly bundles: string; readonly maker: string }
  readonly #clock: Clock
  readonly #log: Log
  /** When the last attempt failed. */
  readonly #failedAt = new Map<Architecture, number>()
  /** Once in the life of this server; who asks meanwhile shares the work. */
  readonly #made = new Map<Architecture, Promise<NoBundle | undefined>>()
  /** Which of them this server has made. */
  readonly #done = new Set<Architecture>()
  /** SHA-256 of each file as it was when it was read; `state` tells whether it has changed. */
  readonly #sums = new Map<Architecture, { readonly state: string; readonly sum: Promise<string> }>()

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
    // One of an earlier build is better than none.
    if (existsSync(file)) return file
    return failure ?? { reason: 'it is not part of this server' }
  }

  /** SHA-256 of the bundle for an architecture, in hexadecimal. */
  async sum(arch: Architecture): Promise<string | NoBundle> {
    const file = await this.path(arch)
    return typeof file === 'string' ? this.#sumOf(arch, file) : file
  }

  /**
   * SHA-256 of the bundle for an architecture, in hexadecimal, without making one: undefined where there is none, and in a
   * checkout as long as this server has not made it, because its bytes are not known yet.
   */
  async knownSum(arch: Architecture): Promise<string | undefined> {
    const file = this.#fileOf(arch)
    if (!existsSync(file) || (this.#isMade && !this.#done.has(arch))) return undefined
    return this.#sumOf(arch, file)
  }

  #fileOf(arch: Architecture): string {
    return join(this.#files.bundles, bundleName(arch))
  }

  /** Whether bundles are made here, as in a checkout. */
  get #isMade(): boolean {
    return existsSync(this.#files.maker)
  }

  async #sumOf(arch: Architecture, file: string): Promise<string> {
    const { size, mtimeMs, ino } = await stat(file)
    const state = `${ino} ${size} ${mtimeMs}`
    const known = this.#sums.get(arch)
    if (known?.state === state) return known.sum
    const hash = createHash('sha256')
    const sum = pipeline(createReadStream(file), hash).then(() => hash.digest('hex'))
    this.#sums.set(arch, { state, sum })
    return sum
  }

  #making(arch: Architecture): Promise<NoBundle | undefined> {
    let making = this.#made.get(arch)
    // Anybody may ask: what fails is not tried at each request.
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

/** Name of the file for an architecture, here and on devices. */
export function bundleName(arch: Architecture): string {
  return `bundle-linux-${arch}.tar.gz`
}

/** The message in what Node prints of an error that ends it. */
function reasonOf(error: unknown): string {
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
  return /^\w*Error: (.+)$/m.exec(said)?.[1] ?? 'it could not be built'
}

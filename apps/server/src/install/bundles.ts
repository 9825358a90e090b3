// The agent's bundles, one for each architecture. A release brings them; in a checkout the first device that asks for
// one makes the server build it, so that nobody waits for it who adds no device.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Clock } from '@bowline/base/clock'
import type { Log } from '../platform/log.ts'

export type Architecture = 'x64' | 'arm64'

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

  /** @param files `bundles`: folder of `bundle-linux-<arch>.tar.gz`; `maker`: script that makes one, if it exists */
  constructor(files: { readonly bundles: string; readonly maker: string }, clock: Clock, log: Log) {
    this.#files = files
    this.#clock = clock
    this.#log = log
  }

  /** Path of the bundle for an architecture. */
  async path(arch: Architecture): Promise<string | NoBundle> {
    const { bundles, maker } = this.#files
    const file = join(bundles, `bundle-linux-${arch}.tar.gz`)
    const failure = existsSync(maker) ? await this.#making(arch) : undefined
    // One of an earlier build is better than none.
    if (existsSync(file)) return file
    return failure ?? { reason: 'it is not part of this server' }
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
      return undefined
    } catch (error) {
      const reason = reasonOf(error)
      this.#failedAt.set(arch, this.#clock.now())
      this.#log.warn('agent.bundle-failed', { arch, reason })
      return { reason }
    }
  }
}

/** The message in what Node prints of an error that ends it. */
function reasonOf(error: unknown): string {
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
  return /^\w*Error: (.+)$/m.exec(said)?.[1] ?? 'it could not be built'
}

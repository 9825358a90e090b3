// State of updates of the device's agent, kept beside its key: the key that signs them, the newest release that
// has worked here, and the last attempt. An attacker who controls the server or has
// old releases cannot change it.
import * as z from 'zod'
import { UpdateKey } from '@bowline/link/agent-manifest'
import { readKept, writeKept } from './kept-file.ts'

/** An attempt that a power cut or a stop ended is repeated this often. */
const MAX_INTERRUPTED = 3

const Attempt = z.object({
  release: z.number(),
  /** SHA-256 of the manifest, hexadecimal. */
  manifest: z.string(),
  times: z.number(),
  /** Why it came to nothing; absent while the version is on trial. */
  reason: z.string().optional(),
  /** It may be repeated. */
  interrupted: z.boolean().optional(),
})
export type Attempt = z.infer<typeof Attempt>

const Stored = z.object({
  version: z.literal(1),
  /** The setting that `key` follows from. */
  configured: UpdateKey,
  key: UpdateKey,
  highest: z.number(),
  attempt: Attempt.optional(),
})
type Stored = z.infer<typeof Stored>

export class UpdateFile {
  readonly path: string
  readonly #configured: string | undefined

  /**
   * @param path absolute; missing until there is something to keep
   * @param configured the key of the settings; another one than before begins anew
   */
  constructor(path: string, configured: string | undefined) {
    this.path = path
    this.#configured = configured
  }

  /** Key that updates must be signed by; undefined: there are none. */
  get key(): string | undefined {
    return this.#read()?.key
  }

  /** The newest release that has been linked to a server from here. */
  get highest(): number {
    return this.#read()?.highest ?? 0
  }

  get attempt(): Attempt | undefined {
    return this.#read()?.attempt
  }

  /** The attempt that failed and is not repeated; undefined: none has, or it may be repeated. */
  get failure(): (Attempt & { readonly reason: string }) | undefined {
    const { attempt } = this
    if (attempt?.reason === undefined) return undefined
    const isRepeated = attempt.interrupted === true && attempt.times < MAX_INTERRUPTED
    return isRepeated ? undefined : { ...attempt, reason: attempt.reason }
  }

  /** Why a manifest is not tried again; undefined: it may be. */
  failureOf(manifest: string): string | undefined {
    const { failure } = this
    return failure?.manifest === manifest ? failure.reason : undefined
  }

  /** @throws {Error} as all of the following, when the file cannot be written */
  adoptKey(key: string): void {
    this.#change(() => ({ key }))
  }

  begin(release: number, manifest: string): void {
    this.#change(({ attempt }) => ({
      attempt: { release, manifest, times: attempt?.manifest === manifest ? attempt.times + 1 : 1 },
    }))
  }

  /** @param interrupted it may be repeated, a few times */
  failed(reason: string, interrupted: boolean): void {
    this.#change(({ attempt }) => (attempt ? { attempt: { ...attempt, reason, interrupted } } : {}))
  }

  worked(release: number): void {
    this.#change(({ highest }) => ({ highest: Math.max(highest, release), attempt: undefined }))
  }

  #read(): Stored | undefined {
    const configured = this.#configured
    if (configured === undefined) return undefined
    const stored = readKept(this.path, Stored, 'trust the key of the settings again')
    return stored?.configured === configured ? stored : { version: 1, configured, key: configured, highest: 0 }
  }

  /** Read before each change: another process of this agent may have written. */
  #change(change: (stored: Stored) => Partial<Stored>): void {
    const stored = this.#read()
    if (stored) writeKept(this.path, { ...stored, ...change(stored) } satisfies Stored)
  }
}

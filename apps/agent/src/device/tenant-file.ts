// The namespace of a device that was paired, kept beside its key so that a restart does not ask again. One that the
// settings name goes first.
import * as z from 'zod'
import { readKept, writeKept } from './kept-file.ts'

const Stored = z.object({ version: z.literal(1), tenant_id: z.guid() })

export class TenantFile {
  readonly path: string
  readonly #configured: string | undefined
  #stored: string | undefined

  /**
   * @param path absolute; a missing file means that the device has not been paired
   * @param configured namespace of the settings; then the file is neither read nor written
   * @throws {Error} when the file exists and cannot be parsed
   */
  constructor(path: string, configured: string | undefined) {
    this.path = path
    this.#configured = configured
    this.#stored = configured === undefined ? readKept(path, Stored, 'pair the device again')?.tenant_id : undefined
  }

  /** UUID of the namespace; undefined while the device has none. */
  get tenantId(): string | undefined {
    return this.#configured ?? this.#stored
  }

  /** Whether the namespace comes from pairing. */
  get isPaired(): boolean {
    return this.#stored !== undefined
  }

  /**
   * Stores the namespace that the device was paired with; it holds for this process whatever becomes of the file.
   * @throws {Error} when the file cannot be written
   */
  store(tenantId: string): void {
    this.#stored = tenantId
    writeKept(this.path, { version: 1, tenant_id: tenantId } satisfies z.infer<typeof Stored>)
  }
}

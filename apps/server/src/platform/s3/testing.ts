// Removes AWS credentials in tests.
import { vi } from 'vitest'

/** Hides the machine's own AWS credentials until `vi.unstubAllEnvs()`. */
export function giveNoCredentials(): void {
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) vi.stubEnv(name, undefined)
  vi.stubEnv('HOME', '/nonexistent')
  // Prevents requests for the role of an instance.
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
}

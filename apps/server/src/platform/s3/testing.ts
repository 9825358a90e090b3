// A machine for tests that is given no credentials of AWS.
import { vi } from 'vitest'

/** Whatever the machine of the tests has; `vi.unstubAllEnvs()` ends it. */
export function giveNoCredentials(): void {
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) vi.stubEnv(name, undefined)
  vi.stubEnv('HOME', '/nonexistent')
  // Nobody is asked for the role of an instance.
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
}

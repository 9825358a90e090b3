// Settings that lead an existing agent to a server.
import type { Server } from '../support/server.ts'

/**
 * @param name of the device, which is its identity too
 * @param keyFile where the agent keeps its key
 * @param transport undefined: the agent's default
 */
export function settingsOf(
  { origin, tenant }: Pick<Server, 'origin' | 'tenant'>,
  {
    name,
    keyFile,
    transport,
  }: { readonly name: string; readonly keyFile: string; readonly transport?: string | undefined },
): Record<string, string> {
  return {
    SHELLHUB_SERVER_ADDRESS: origin,
    SHELLHUB_TENANT_ID: tenant,
    SHELLHUB_PRIVATE_KEY: keyFile,
    SHELLHUB_PREFERRED_HOSTNAME: name,
    SHELLHUB_PREFERRED_IDENTITY: name,
    ...(transport === undefined ? {} : { SHELLHUB_TRANSPORT_VERSION: transport }),
  }
}

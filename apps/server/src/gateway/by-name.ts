// One SSH connection until its first user name is known: the name tells whether a person or a device has connected.
import type { TenantId } from '@bowline/contract/schemas/common'
import type { AuthAttempt, AuthDecision, ConnectionHandler, SshConnection } from '@bowline/ssh/api'
import type { SessionCause } from '../sessions/service.ts'
import { isDeviceLogin } from '../install-keys/ssh-enrolment.ts'

/** A handler that can end its connection. */
export interface EndingHandler extends ConnectionHandler {
  /** The namespace whose device the connection is with; undefined until that is known. */
  readonly tenant: TenantId | undefined
  end(connection: SshConnection, cause: SessionCause): void
}

/**
 * @param person the handler of a person's connection, and of one that ends without a name
 * @param device called when a device has connected: it then has the connection
 */
export function byFirstName(person: EndingHandler, device: () => EndingHandler): EndingHandler {
  let handler = person
  let isNamed = false
  return {
    get tenant() {
      return handler.tenant
    },
    authenticate(connection: SshConnection, attempt: AuthAttempt): Promise<AuthDecision> {
      if (!isNamed && isDeviceLogin(attempt.user)) handler = device()
      isNamed = true
      return handler.authenticate(connection, attempt)
    },
    open: (connection, request) => handler.open(connection, request),
    listen: async (connection, request) => handler.listen?.(connection, request),
    unlisten: async (connection, request) => (await handler.unlisten?.(connection, request)) === true,
    end: (connection, cause) => handler.end(connection, cause),
    closed: (connection, cause) => handler.closed(connection, cause),
  }
}

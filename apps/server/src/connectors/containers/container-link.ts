// The device's side of a container: takes the streams that the gateway opens on a device's link. The gateway has
// authorized them; what the container itself decides is which accounts it has.
import type { Clock } from '@bowline/base/clock'
import type { Engine } from '@bowline/engine/client'
import type { LinkCause, LinkHandler, LinkMessage, LinkStream, StreamHandler } from '@bowline/link/api'
import {
  type AuthAnswer,
  AuthCredential,
  AuthOpen,
  DialOpen,
  HttpOpen,
  SessionOpen,
} from '@bowline/link/stream-messages'
import { type ContainerAccount, accountOf } from './account.ts'
import { ContainerConnection } from './connection.ts'
import { ContainerProcess } from './process.ts'

export interface ContainerParts {
  readonly engine: Engine
  readonly clock: Clock
  /** 64 hex digits. */
  readonly container: string
  readonly closed: (cause: LinkCause) => void
}

/** A process or a connection of a login. */
interface Member {
  /** The login has ended. */
  end(cause: LinkCause): void
}

interface Login {
  readonly account: ContainerAccount
  readonly members: Set<Member>
}

/** Accepted logins by the id of their stream. */
type Logins = Map<number, Login>

const LOGGED_OUT: LinkCause = { by: 'user', reason: 'done', message: 'The login has ended.' }
const refused = (message: string): LinkCause => ({ by: 'agent', reason: 'refused', message })
const NO_PASSWORDS = 'Nothing in a container checks passwords. Log in by a public key of the namespace.'
const MALFORMED = refused('The request is malformed.')

export function containerHandler(parts: ContainerParts): LinkHandler {
  const logins: Logins = new Map()
  return {
    open(kind, header, stream) {
      if (kind === 'auth') return openAuth(parts, logins, header, stream)
      if (kind === 'session') return openSession(parts, logins, header, stream)
      if (kind === 'dial') return openDial(parts, logins, header, stream)
      if (kind === 'http') return openTunnel(parts, header, stream)
      if (kind === 'listen') return refused('Containers of a connector cannot listen for connections.')
      return refused('Containers of a connector cannot do this.')
    },
    closed: parts.closed,
  }
}

function openAuth(
  { engine, container }: ContainerParts,
  logins: Logins,
  header: LinkMessage,
  stream: LinkStream,
): StreamHandler | LinkCause {
  const open = AuthOpen.safeParse(header).data
  if (!open) return MALFORMED
  const processes = (answer: AuthAnswer): void => stream.control(answer)
  const check = async (credential: AuthCredential): Promise<AuthAnswer> => {
    // Passwords of containers are not checked: most images have none, and hashing them is the server's work here.
    if (credential.method !== 'statement') return { type: 'denied', reason: 'unsupported', message: NO_PASSWORDS }
    const passwd = await engine.readFile(container, '/etc/passwd')
    const account = passwd && accountOf(passwd.toString(), open.user)
    if (!account) {
      const message = `This container has no account ${open.user}.`
      return { type: 'denied', reason: 'unknown-user', message }
    }
    logins.set(stream.id, { account, members: new Set() })
    return { type: 'accepted' }
  }
  return {
    data: (bytes) => stream.consumed(bytes.length),
    control(message) {
      const credential = AuthCredential.safeParse(message).data
      if (!credential) return stream.close(MALFORMED)
      check(credential).then(processes, (error: unknown) => {
        const why = error instanceof Error ? error.message : 'unknown'
        stream.close({ by: 'network', reason: 'engine-failed', message: `The container engine failed: ${why}.` })
      })
    },
    closed(cause) {
      const login = logins.get(stream.id)
      logins.delete(stream.id)
      const told = cause.by === 'admin' || cause.by === 'policy' ? cause : LOGGED_OUT
      for (const member of login?.members ?? []) member.end(told)
    },
  }
}

function openSession(
  parts: ContainerParts,
  logins: Logins,
  header: LinkMessage,
  stream: LinkStream,
): StreamHandler | LinkCause {
  const open = SessionOpen.safeParse(header).data
  const login = open && logins.get(open.login)
  if (!login) return MALFORMED
  const { account, members } = login
  const process = new ContainerProcess({ ...parts, account, open, stream, ended: () => members.delete(process) })
  members.add(process)
  return process
}

/** A connection that a person forwards; it is made as their account. */
function openDial(
  parts: ContainerParts,
  logins: Logins,
  header: LinkMessage,
  stream: LinkStream,
): StreamHandler | LinkCause {
  const open = DialOpen.safeParse(header).data
  const login = open && logins.get(open.login)
  if (!login) return MALFORMED
  const { account, members } = login
  const member: Member = { end: (cause) => stream.close(cause, 'drop') }
  members.add(member)
  const ended = (): void => void members.delete(member)
  return new ContainerConnection({ ...parts, user: account.name, target: open.target, stream, ended })
}

/** A connection of a tunnel, which belongs to no account. */
function openTunnel(parts: ContainerParts, header: LinkMessage, stream: LinkStream): StreamHandler | LinkCause {
  const target = HttpOpen.safeParse(header).data
  return target ? new ContainerConnection({ ...parts, user: '', target, stream, ended: () => undefined }) : MALFORMED
}

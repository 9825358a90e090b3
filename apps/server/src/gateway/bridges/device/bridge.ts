// The device's side of a link whose device runs no agent of ours: takes the streams that the gateway opens and serves them
// by the device's own SSH server. To the gateway it is a device like all others; policy, recording and limits are on its
// side.
import type { Clock } from '@bowline/base/clock'
import type {
  Link,
  LinkCause,
  LinkHandler,
  LinkMessage,
  LinkStream,
  StreamHandler,
  StreamKind,
} from '@bowline/link/api'
import { AuthOpen, DialOpen, HttpOpen, ListenOpen, SessionOpen } from '@bowline/link/stream-messages'
import type { HostKeyUsers } from '../../links/host-key-reviews.ts'
import { channelConnection, socketConnection } from './connection.ts'
import type { DeviceDoor } from './door.ts'
import { Listeners } from './listeners.ts'
import { BridgeLogin } from './login.ts'
import { BridgeProcess } from './process.ts'

export interface BridgeParts {
  readonly door: DeviceDoor
  readonly clock: Clock
  /** The number of logins has changed. */
  readonly changed?: (logins: number) => void
}

/** Bridge of one device. */
export interface Bridge extends LinkHandler, HostKeyUsers {
  /** Sets the device's end of the link, before anything arrives. */
  attach(link: Pick<Link, 'open'>): void
}

/** One login with its streams. */
interface Member {
  readonly login: BridgeLogin
  readonly streams: Set<LinkStream>
  readonly listeners: Listeners
}

const refused = (message: string): LinkCause => ({ by: 'agent', reason: 'refused', message })
const MALFORMED = refused('The request is malformed.')
const LOGGED_OUT: LinkCause = { by: 'user', reason: 'done', message: 'The login has ended.' }

export function bridgeHandler({ door, clock, changed }: BridgeParts): Bridge {
  /** By id of the `auth` stream. */
  const members = new Map<number, Member>()
  let link: Pick<Link, 'open'> | undefined

  function openAuth(header: LinkMessage, stream: LinkStream): StreamHandler | LinkCause {
    const open = AuthOpen.safeParse(header).data
    if (!open) return MALFORMED
    const streams = new Set<LinkStream>()
    const listeners = new Listeners(() => link)
    const login = new BridgeLogin({
      door,
      clock,
      open,
      stream,
      deviceChannel: (request) => listeners.open(request),
      ended() {
        members.delete(stream.id)
        for (const one of streams) one.close(LOGGED_OUT, 'drop')
        changed?.(members.size)
      },
    })
    const member: Member = { login, streams, listeners }
    members.set(stream.id, member)
    changed?.(members.size)
    return login
  }

  /** @returns the inner connection of an accepted login, and what to call when the stream has ended */
  function join(login: number | undefined, stream: LinkStream) {
    const member = login === undefined ? undefined : members.get(login)
    const client = member?.login.client
    if (!member || !client) return undefined
    member.streams.add(stream)
    return { client, ended: () => void member.streams.delete(stream) }
  }

  function openSession(header: LinkMessage, stream: LinkStream): StreamHandler | LinkCause {
    const open = SessionOpen.safeParse(header).data
    const joined = join(open?.login, stream)
    if (!open || !joined) return MALFORMED
    const display = members.get(open.login)?.listeners.displayOf(open.x11)
    return new BridgeProcess({ ...joined, open, stream, display, servedBy: door.servedBy })
  }

  function openDial(header: LinkMessage, stream: LinkStream): StreamHandler | LinkCause {
    const open = DialOpen.safeParse(header).data
    const joined = join(open?.login, stream)
    if (!open || !joined) return MALFORMED
    const { target } = open
    const asked =
      'path' in target
        ? ({ type: 'direct-streamlocal@openssh.com', ...target } as const)
        : ({ type: 'direct-tcpip', ...target, originHost: '127.0.0.1', originPort: 0 } as const)
    const unknown = (): LinkCause => cannot('connects to no unix sockets')
    return channelConnection(joined.client, asked, stream, unknown, joined.ended)
  }

  function openListen(header: LinkMessage, stream: LinkStream): StreamHandler | LinkCause {
    const open = ListenOpen.safeParse(header).data
    const member = open && members.get(open.login)
    const joined = join(open?.login, stream)
    if (!open || !member || !joined) return MALFORMED
    const { ended, client } = joined
    const { listeners } = member
    const { at } = open
    if (at.type === 'agent' && listeners.hasAgent) {
      ended()
      return cannot('takes one agent of a login')
    }
    if (at.type === 'agent') return listeners.lendAgent(stream, ended)
    const refuse = (what: string) => () => stream.close(cannot(what))
    if (at.type === 'x11') return listeners.display(client, at, stream, refuse('forwards no displays (-X)'), ended)
    return listeners.listen(client, at, stream, refuse('does not listen there (-R)'), ended)
  }

  function openHttp(header: LinkMessage, stream: LinkStream): StreamHandler | LinkCause {
    const open = HttpOpen.safeParse(header).data
    return open ? socketConnection(door.openTcp(open.host, open.port), stream) : MALFORMED
  }

  const cannot = (what: string): LinkCause => refused(`This device is served by ${door.servedBy}, which ${what}.`)

  const openers: Partial<Record<StreamKind, typeof openAuth>> = {
    auth: openAuth,
    session: openSession,
    dial: openDial,
    listen: openListen,
    http: openHttp,
  }
  return {
    attach(device) {
      link = device
    },
    get hasLogins() {
      return members.size > 0
    },
    requireHostKey(hostKey) {
      for (const { login } of members.values()) login.requireHostKey(hostKey)
    },
    open: (kind, header, stream) => openers[kind]?.(header, stream) ?? cannot('offers no container engine'),
    closed: () => undefined,
  }
}

// For tests: the device's side of a container, spoken to as the gateway does.
import { systemClock } from '@bowline/base/clock'
import { createEngine } from '@bowline/engine/client'
import type { Link, LinkMessage } from '@bowline/link/api'
import { localLink } from '@bowline/link/local'
import { RecordedStream } from '@bowline/link/testing/pair'
import { until } from '@bowline/testkit/until'
import { onTestFinished } from 'vitest'
import { containerHandler } from './container-link.ts'

/** Address of the person in the tests. */
export const CLIENT = { address: '192.0.2.7', port: 50_000 }

/**
 * A link to a container until the end of the test.
 * @param port of its engine, on loopback
 */
export function linkTo(port: number, container: string): Link {
  const link = lastingLinkTo(port, container)
  onTestFinished(() => link.close({ by: 'gateway', reason: 'done', message: '' }))
  return link
}

/** As {@link linkTo}, until it is closed. */
export function lastingLinkTo(port: number, container: string): Link {
  const judge = (address: string) => Promise.resolve({ address })
  const engine = createEngine({ host: '127.0.0.1', port, judge }, systemClock)
  const { gateway } = localLink({
    gateway: {
      open: () => ({ by: 'gateway', reason: 'refused', message: '' }),
      closed: () => undefined,
    },
    device: containerHandler({ engine, clock: systemClock, container, closed: () => undefined }),
    clock: systemClock,
    report: () => undefined,
  })
  return gateway
}

/** An auth stream, with the answer to one credential. */
export async function signIn(
  link: Link,
  user: string,
  credential: LinkMessage = { method: 'statement', statement: 'x' },
) {
  const open = { session: 'e'.repeat(64), user, remote: CLIENT.address }
  const auth = RecordedStream.open(link, 'auth', open)
  auth.stream.control(credential)
  await until(() => auth.messages.length > 0 || auth.cause !== undefined)
  return auth
}

// Tells the person of a terminal of requests to join it while they look elsewhere, and of who comes and goes.
import { announce } from '../../../ui/feedback/announce.tsx'
import { notifyOf } from '../../../ui/feedback/notify.tsx'
import type { RemoteTerminal, Sharing } from '../connection/remote-terminal.ts'
import type { Store } from '../../../platform/store.ts'
import type { SharedPane } from './shared-pane.ts'
import { sharingMessages as texts } from './messages.ts'

/**
 * @param device its name
 * @param isSeen whether the person looks at the terminal
 */
export function noticeRequests(
  session: Pick<SharedPane, 'remote'> & { readonly state: Pick<Store<unknown>, 'subscribe'> },
  device: string,
  isSeen: () => boolean,
): void {
  let remote: RemoteTerminal | undefined
  session.state.subscribe(() => {
    const current = session.remote()
    if (!current || current === remote) return
    remote = current
    let before: Sharing | undefined
    current.sharing.subscribe(() => {
      const now = current.sharing.get()
      if (now) notice(before, now, device, isSeen())
      before = now
    })
  })
}

function notice(before: Sharing | undefined, now: Sharing, device: string, isSeen: boolean): void {
  const asked = new Set(before?.asking.map(({ guest }) => guest))
  for (const { guest, name } of now.asking) {
    if (!asked.has(guest) && !isSeen) notifyOf({ id: `join ${guest}`, title: texts.asksOn(name, device) })
  }
  const were = new Set(before?.joined.map(({ guest }) => guest))
  const are = new Set(now.joined.map(({ guest }) => guest))
  for (const { guest, name } of now.joined) if (!were.has(guest)) announce(texts.joined(name))
  for (const { guest, name } of before?.joined ?? []) if (!are.has(guest)) announce(texts.left(name))
}

// What the browser lends to the session: a lock and a channel between the tabs of this origin. Both have a fallback:
// `navigator.locks` exists in secure contexts only.
import type { TabMessage } from './session.ts'

const CHANNEL = 'bowline.session'

/** Runs `work` while no other tab of this origin runs its own. */
export async function exclusively<T>(work: () => Promise<T>): Promise<T> {
  if (!('locks' in navigator)) return work()
  return navigator.locks.request(CHANNEL, work)
}

/** Opens the channel between the tabs. @returns the function that sends; it never delivers to the sender */
export function openTabChannel(hear: (message: TabMessage) => void): (message: TabMessage) => void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.addEventListener('message', (event: MessageEvent<unknown>) => {
    const message = event.data
    if (typeof message !== 'object' || message === null || !('type' in message)) return
    if (message.type === 'signed-out') hear({ type: 'signed-out' })
    if (message.type === 'changed') hear({ type: 'changed' })
    if (message.type === 'signed-in' && 'id' in message) hear({ type: 'signed-in', id: String(message.id) })
  })
  return (message) => channel.postMessage(message)
}

// Browser features the session needs: a lock and a channel shared by the tabs of this origin. Both have a fallback:
// `navigator.locks` exists in secure contexts only.
import type { TabMessage } from './session.ts'

const CHANNEL = 'bowline.session'

/** Runs `work` under a lock shared by all tabs of this origin. */
export async function exclusively<T>(work: () => Promise<T>): Promise<T> {
  if (!('locks' in navigator)) return work()
  return navigator.locks.request(CHANNEL, work)
}

/** Opens the channel between the tabs. @returns send; a message is never delivered to its sender */
export function openTabChannel(receive: (message: TabMessage) => void): (message: TabMessage) => void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.addEventListener('message', (event: MessageEvent<unknown>) => {
    const message = event.data
    if (typeof message !== 'object' || message === null || !('type' in message)) return
    if (message.type === 'signed-out') receive({ type: 'signed-out' })
    if (message.type === 'changed') receive({ type: 'changed' })
    if (message.type === 'signed-in' && 'id' in message) receive({ type: 'signed-in', id: String(message.id) })
  })
  return (message) => channel.postMessage(message)
}

// Messages about the vault between tabs of the same console. A key that one has added reaches the others as a
// CryptoKey that cannot be exported: structured cloning copies the handle, not the key's bytes.

const CHANNEL = 'bowline.vault'
/** Milliseconds between notices of input. */
const ACTIVE_EVERY = 5_000

export interface VaultTabsParts {
  /** Id of the signed-in person: messages about others are ignored. */
  readonly person: () => string
  readonly locked: () => void
  readonly changed: () => void
  readonly added: (vault: string, id: string, key: CryptoKey) => void
  /** There was input in another tab. */
  readonly active: () => void
}

export interface VaultTabs {
  locked(): void
  changed(): void
  added(vault: string, id: string, key: CryptoKey): void
  /** There was input in this tab; the others hear of it now and then. */
  active(): void
}

export function openVaultTabs({ person, locked, changed, added, active }: VaultTabsParts): VaultTabs {
  const channel = new BroadcastChannel(CHANNEL)
  let toldAt = Number.NEGATIVE_INFINITY
  channel.addEventListener('message', (event: MessageEvent<unknown>) => {
    const message = event.data
    if (typeof message !== 'object' || message === null || !('type' in message) || !('person' in message)) return
    if (message.person !== person()) return
    if (message.type === 'locked') locked()
    if (message.type === 'changed') changed()
    if (message.type === 'active') active()
    if (message.type !== 'added' || !('vault' in message) || !('id' in message) || !('key' in message)) return
    if (message.key instanceof CryptoKey) added(String(message.vault), String(message.id), message.key)
  })
  const say = (message: object) => channel.postMessage({ ...message, person: person() })
  return {
    locked: () => say({ type: 'locked' }),
    changed: () => say({ type: 'changed' }),
    added: (vault, id, key) => say({ type: 'added', vault, id, key }),
    active() {
      const now = performance.now()
      if (now - toldAt < ACTIVE_EVERY) return
      toldAt = now
      say({ type: 'active' })
    },
  }
}

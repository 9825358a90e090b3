// Signs a pane in by a key of the vault, without a form: the key that the namespace has registered for the device and
// the user name used there last. Whatever is missing is asked for in the pane.
import type { Runtime } from '../../core/runtime.ts'
import { deviceQuery } from '../../core/devices/queries.ts'
import { sshUser } from '../../core/devices/ssh-user.ts'
import { describeError } from '../../ui/feedback/describe-error.ts'
import { chooseKey } from '../vault/match.ts'
import { registeredQuery } from '../vault/queries.ts'
import { type Vault, vaultOf } from '../vault/vault.ts'
import type { VaultKey } from '../vault/vault-key.ts'
import { terminalMessages as texts } from './messages.ts'
import type { SignInPane, SignInTarget } from './pane/pane-session.ts'

/** Connects the pane, or shows its form: at once, when nothing of the vault can help. */
export async function signInByVault(runtime: Runtime, pane: SignInPane): Promise<void> {
  const vault = vaultOf(runtime)
  pane.show({ kind: 'preparing' })
  const state = await vault.ready()
  if (!('keys' in state) || state.keys.length === 0) return pane.show({ kind: 'form' })
  const username = vault.lastUse(pane.device.uid)?.username ?? sshUser()
  try {
    const key = await keyFor(runtime, pane, username, state.keys)
    if (pane.state.get().kind !== 'preparing') return
    if (!key) return pane.show({ kind: 'form', notice: texts.vault.noKey(username), offersKeys: true })
    if (vault.credential(key.id)) return connectByVault(vault, pane, key.id, username)
    if (vault.state.get().kind === 'unlocked')
      return pane.show({ kind: 'form', notice: texts.vault.unusable(key.name) })
    waitForUnlock(runtime, pane)
  } catch (error) {
    pane.show({ kind: 'form', notice: texts.vault.lookupFailed(describeError(error).cause) })
  }
}

async function keyFor(
  runtime: Runtime,
  { device: { uid } }: SignInPane,
  username: string,
  own: readonly VaultKey[],
): Promise<VaultKey | undefined> {
  const { api, queryClient } = runtime
  const usable = own.filter(({ parsed }) => parsed !== undefined)
  const fingerprints = usable.map(({ fingerprint }) => fingerprint)
  const [device, registered] = await Promise.all([
    queryClient.fetchQuery(deviceQuery(api, uid)),
    // Somebody else may have registered or removed one a moment ago.
    queryClient.fetchQuery({ ...registeredQuery(api, fingerprints), staleTime: 0 }),
  ])
  return chooseKey(usable, registered, { username, device }, vaultOf(runtime).lastUse(uid)?.key)
}

/** Shows the prompt, and goes on once the vault is unlocked: here, in another pane or on another page. */
function waitForUnlock(runtime: Runtime, pane: SignInPane): void {
  const vault = vaultOf(runtime)
  pane.show({ kind: 'locked' })
  const stop = vault.state.subscribe(() => {
    const { kind } = vault.state.get()
    const isWaiting = pane.state.get().kind === 'locked'
    if (isWaiting && kind === 'locked') return
    stop()
    if (isWaiting) void signInByVault(runtime, pane)
  })
}

/** Connects with a key of the unlocked vault, and remembers both for the next time on the device of a single pane. */
export function connectByVault(vault: Vault, pane: SignInTarget, id: string, username: string): void {
  const credential = vault.credential(id)
  if (!credential) return
  pane.connect({ username, credential })
  const { state } = pane
  const stop = state?.subscribe(() => {
    const { kind } = state.get()
    if (kind === 'connecting' || kind === 'asked') return
    stop?.()
    if (kind !== 'running') return
    // It only saves the person a choice: without storage it is made anew.
    vault.remember({ device: pane.device.uid, key: id, username }).catch(() => undefined)
  })
}

/** Connects again with what the pane has connected with; a key of the vault asks to be unlocked. */
export function reconnect(runtime: Runtime, pane: SignInPane): void {
  const access = pane.access()
  if (!access) return pane.disconnect()
  const { credential } = access
  const isLocked =
    credential.kind === 'key' && credential.vaultKey !== undefined && !vaultOf(runtime).credential(credential.vaultKey)
  if (isLocked) void signInByVault(runtime, pane)
  else pane.connect(access)
}

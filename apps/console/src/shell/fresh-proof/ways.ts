// Ways of giving a fresh proof besides the codes of an authenticator. Each is a component that renders its own button.
import type { ComponentType } from 'react'
import { PasskeyProof } from '../../features/passkeys/prove.tsx'

export interface WayProps {
  /** Called once the server has noted the proof. */
  readonly onProven: () => void
}

export const WAYS: readonly { readonly id: string; readonly Way: ComponentType<WayProps> }[] = [
  { id: 'passkey', Way: PasskeyProof },
]

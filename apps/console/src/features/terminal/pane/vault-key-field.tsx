// Choice between the keys of the vault, in the sign-in form for a device.
import { useRuntime } from '../../../core/context.tsx'
import { Button, NativeSelect } from '../../../ui/kit.ts'
import type { VaultState } from '../../vault/vault-state.ts'
import { signInByVault } from '../vault-sign-in.ts'
import { terminalMessages as texts } from '../messages.ts'
import type { Pane } from './pane.ts'

interface VaultKeyFieldProps {
  readonly pane: Pane
  readonly state: VaultState
  /** Id of the chosen key; '': one that is not in the vault. */
  readonly value: string
  readonly onChange: (id: string) => void
}

export function VaultKeyField({ pane, state, value, onChange }: VaultKeyFieldProps) {
  const runtime = useRuntime()
  if (!('keys' in state) || state.keys.length === 0) return null
  if (state.kind === 'locked') {
    return (
      <Button variant="default" onClick={() => void signInByVault(runtime, pane)}>
        {texts.vault.unlock}
      </Button>
    )
  }
  return (
    <NativeSelect
      label={texts.vault.stored}
      value={value}
      data={[
        ...state.keys
          .filter(({ fault }) => fault === undefined)
          .map(({ id, name, type }) => ({ value: id, label: `${name} (${type})` })),
        { value: '', label: texts.vault.another },
      ]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

// Choice between the keys of the vault, in the sign-in form for a device.
import { Button, NativeSelect } from '../../../ui/kit.ts'
import type { VaultState } from '../../vault/vault-state.ts'
import { terminalMessages as texts } from '../messages.ts'

interface VaultKeyFieldProps {
  /** Absent where nothing can wait for the vault. */
  readonly onUnlock: (() => void) | undefined
  readonly state: VaultState
  /** Id of the chosen key; '': one that is not in the vault. */
  readonly value: string
  readonly onChange: (id: string) => void
}

export function VaultKeyField({ onUnlock, state, value, onChange }: VaultKeyFieldProps) {
  if (!('keys' in state) || state.keys.length === 0) return null
  if (state.kind === 'locked') {
    return onUnlock ? (
      <Button variant="default" onClick={onUnlock}>
        {texts.vault.unlock}
      </Button>
    ) : null
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

// Choice between the keys of the vault, in the sign-in form for a device; the way to them where they are locked or there are none.
import { Link } from '@tanstack/react-router'
import { Button, NativeSelect, Stack, Text } from '../../../ui/kit.ts'
import type { VaultState } from '../../vault/vault-state.ts'
import { terminalMessages as texts } from '../messages.ts'

interface VaultKeyFieldProps {
  readonly onUnlock: () => void
  readonly state: VaultState
  /** Id of the chosen key; '': one that is not in the vault. */
  readonly value: string
  readonly onChange: (id: string) => void
}

export function VaultKeyField({ onUnlock, state, value, onChange }: VaultKeyFieldProps) {
  if (state.kind === 'loading' || state.kind === 'unreadable') return null
  if (state.kind === 'none' || state.keys.length === 0) {
    return (
      <Text size="sm">
        {texts.vault.none} <Link to="/profile/keys">{texts.vault.create}</Link>
      </Text>
    )
  }
  if (state.kind === 'locked') {
    return (
      <Stack gap="xs">
        <Button variant="default" onClick={onUnlock}>
          {texts.vault.unlock}
        </Button>
        <Text size="xs" c="dimmed">
          {texts.vault.lockedHint(state.keys.length)}
        </Text>
      </Stack>
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

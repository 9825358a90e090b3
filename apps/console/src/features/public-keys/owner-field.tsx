// Owner of a key: a member, or none for a service key. Choosing an owner for a disabled key reassigns it.
import type { PublicKey } from '@bowline/contract/schemas/public-key'
import { UserId } from '@bowline/contract/schemas/common'
import { NativeSelect } from '../../ui/kit.ts'
import { useMembers } from '../namespaces/use-members.ts'
import { publicKeysMessages as texts } from './messages.ts'

const SERVICE = 'service'
/** A disabled key keeps its state. */
const NOBODY = ''

/** The field's initial value. @param own id of the person adding a key */
export function ownerChoice(key: PublicKey | 'new', own: string): string {
  if (key === 'new') return own
  return key.disabled ? NOBODY : (key.owner ?? SERVICE)
}

/** The owner in a request body; omitted, a key keeps its owner. */
export function ownerOf(choice: string): { readonly owner?: UserId | null } {
  if (choice === NOBODY) return {}
  return { owner: choice === SERVICE ? null : UserId.parse(choice) }
}

interface OwnerFieldProps {
  readonly value: string
  /** The key is disabled, and may stay so. */
  readonly isDisabled: boolean
  readonly onChange: (choice: string) => void
}

export function OwnerField({ value, isDisabled, onChange }: OwnerFieldProps) {
  const owners = useMembers()
  const members = owners.map(({ id, email }): { value: string; label: string } => ({ value: id, label: email }))
  const known = value === NOBODY || value === SERVICE || members.some((one) => one.value === value)
  return (
    <NativeSelect
      label={texts.owner}
      description={texts.ownerHint}
      value={value}
      data={[
        ...(isDisabled ? [{ value: NOBODY, label: texts.keepDisabled }] : []),
        ...(known ? [] : [{ value, label: texts.unknownOwner }]),
        ...members,
        { value: SERVICE, label: texts.serviceKeyLong },
      ]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

/** The owner in the list of keys. */
export function OwnerName({ of }: { readonly of: PublicKey }) {
  const owners = useMembers()
  if (of.disabled) return texts.disabled(of.former_owner)
  if (of.owner === null) return texts.serviceKey
  return owners.find(({ id }) => id === of.owner)?.email ?? texts.unknownOwner
}

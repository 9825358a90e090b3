// Whose key it is: a member's, or a service key. Choosing somebody for a disabled key hands it over.
import type { Member } from '@bowline/contract/schemas/namespace'
import type { PublicKey } from '@bowline/contract/schemas/public-key'
import { UserId } from '@bowline/contract/schemas/common'
import { useQuery } from '@tanstack/react-query'
import { usePerson, useRuntime } from '../../core/context.tsx'
import { NativeSelect } from '../../ui/kit.ts'
import { namespaceQuery } from '../namespaces/queries.ts'
import { publicKeysMessages as texts } from './messages.ts'

const SERVICE = 'service'
/** A disabled key stays as it is. */
const NOBODY = ''

/** The accepted members of the namespace. */
export function useOwners(): readonly Member[] {
  const { api } = useRuntime()
  const { data } = useQuery(namespaceQuery(api, usePerson()?.tenant ?? ''))
  return data?.members.filter(({ status }) => status === 'accepted') ?? []
}

/** What the field shows for a key at first. @param own id of whoever adds a key */
export function ownerChoice(key: PublicKey | 'new', own: string): string {
  if (key === 'new') return own
  return key.disabled ? NOBODY : (key.owner ?? SERVICE)
}

/** The owner in the body of a call; left out, a key keeps its own. */
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
  const owners = useOwners()
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
  const owners = useOwners()
  if (of.disabled) return texts.disabled(of.former_owner)
  if (of.owner === null) return texts.serviceKey
  return owners.find(({ id }) => id === of.owner)?.email ?? texts.unknownOwner
}

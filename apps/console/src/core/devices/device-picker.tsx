// Picks one accepted device by name, with search as you type.
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { useRuntime } from '../context.tsx'
import { Select } from '../../ui/kit.ts'
import { pickerMessages as texts } from './messages.ts'
import { deviceListQuery, deviceQuery } from './queries.ts'

interface DevicePickerProps {
  readonly label: string
  readonly placeholder?: string
  readonly size?: 'xs' | 'sm'
  /** Uid of the chosen device; '' for none. */
  readonly uid: string
  readonly error?: string | null
  /** A device was chosen; undefined when the field was cleared. */
  readonly onPick: (uid: DeviceUid | undefined) => void
}

export function DevicePicker({ label, placeholder, size = 'sm', uid, error, onPick }: DevicePickerProps) {
  const { api } = useRuntime()
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState('')
  const { data: chosen } = useQuery({ ...deviceQuery(api, uid), enabled: uid !== '' })
  // The name of the chosen device in the field is no search: opened again, the list shows other devices too.
  const words = useDeferredValue(text === chosen?.name ? '' : text)
  const { data: found } = useQuery({
    ...deviceListQuery(api, { status: 'accepted', page: 1, sort: 'name', order: 'asc', words }),
    enabled: isOpen,
  })
  const listed = (found?.items ?? []).map((device) => ({ value: device.uid, label: device.name }))
  const isListed = uid === '' || listed.some(({ value }) => value === uid)
  return (
    <Select
      label={size === 'sm' ? label : undefined}
      aria-label={size === 'sm' ? undefined : label}
      placeholder={placeholder}
      size={size}
      error={error}
      searchable
      clearable
      // An option of the list gives the field its text.
      data={isListed || !chosen ? listed : [...listed, { value: uid, label: chosen.name }]}
      // The server has searched already, also in other attributes than the name.
      filter={({ options }) => options}
      value={uid === '' ? null : uid}
      onChange={(picked) => onPick((picked ?? undefined) as DeviceUid | undefined)}
      searchValue={text}
      onSearchChange={setText}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      nothingFoundMessage={found ? texts.none : texts.loading}
      clearButtonProps={{ 'aria-label': texts.clear }}
      autoCapitalize="none"
      spellCheck={false}
      maxLength={64}
    />
  )
}

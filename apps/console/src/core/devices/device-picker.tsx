// Picks one accepted device by name, with search as you type.
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { useQuery } from '@tanstack/react-query'
import { ChevronDown } from 'lucide-react'
import { type ComponentProps, useDeferredValue, useState } from 'react'
import { useRuntime } from '../context.tsx'
import bar from '../../ui/controls/choice-menu.module.css'
import { Select } from '../../ui/kit.ts'
import { pickerMessages as texts } from './messages.ts'
import { deviceListQuery, deviceQuery } from './queries.ts'

interface DevicePickerProps {
  readonly label: string
  /** One of the filters of a list, with their look: its label is its placeholder. */
  readonly filter?: boolean
  /** Uid of the chosen device; '' for none. */
  readonly uid: string
  readonly error?: string | null
  /** A device was chosen; undefined when the field was cleared. */
  readonly onPick: (uid: DeviceUid | undefined) => void
}

export function DevicePicker({ label, filter = false, uid, error, onPick }: DevicePickerProps) {
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
      {...(filter ? asFilter(label, uid !== '') : { label })}
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

const asFilter = (label: string, isChosen: boolean): Partial<ComponentProps<typeof Select>> => ({
  'aria-label': label,
  placeholder: label,
  size: 'xs',
  classNames: { input: bar['field'] ?? '' },
  // A chosen device has the button that clears the field there.
  ...(isChosen ? {} : { rightSection: <ChevronDown size={13} aria-hidden />, rightSectionPointerEvents: 'none' }),
})

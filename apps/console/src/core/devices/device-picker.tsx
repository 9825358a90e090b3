// Picks one accepted device by name, with search as you type.
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useId, useState } from 'react'
import { useRuntime } from '../context.tsx'
import { TextInput } from '../../ui/kit.ts'
import { deviceListQuery, deviceQuery } from './queries.ts'

interface DevicePickerProps {
  readonly label: string
  readonly placeholder?: string
  readonly size?: 'xs' | 'sm'
  /** Uid of the chosen device; '' for none. */
  readonly uid: string
  readonly error?: string | null
  /** A complete name was typed or chosen; undefined when it is cleared or incomplete. */
  readonly onPick: (uid: DeviceUid | undefined) => void
}

export function DevicePicker({ label, placeholder, size = 'sm', uid, error, onPick }: DevicePickerProps) {
  const { api } = useRuntime()
  const [text, setText] = useState<string>()
  const words = useDeferredValue(text ?? '')
  const listId = useId()
  const { data: chosen } = useQuery({ ...deviceQuery(api, uid), enabled: uid !== '' && text === undefined })
  const { data: found } = useQuery({
    ...deviceListQuery(api, { status: 'accepted', page: 1, sort: 'name', order: 'asc', words }),
    enabled: text !== undefined,
  })
  // The answer may arrive after the last keystroke.
  const named = text === undefined ? undefined : found?.items.find(({ name }) => name === text.trim())?.uid
  useEffect(() => {
    if (named !== undefined && named !== uid) onPick(named)
  }, [named, uid, onPick])
  const change = (name: string) => {
    setText(name)
    if (uid !== '') onPick(undefined)
  }
  return (
    <>
      <TextInput
        label={size === 'sm' ? label : undefined}
        aria-label={size === 'sm' ? undefined : label}
        placeholder={placeholder}
        size={size}
        value={text ?? chosen?.name ?? ''}
        error={error}
        list={listId}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={64}
        onFocus={() => setText((before) => before ?? chosen?.name ?? '')}
        onChange={(event) => change(event.currentTarget.value)}
      />
      <datalist id={listId}>
        {found?.items.map((device) => (
          <option key={device.uid} value={device.name}>
            {device.name}
          </option>
        ))}
      </datalist>
    </>
  )
}

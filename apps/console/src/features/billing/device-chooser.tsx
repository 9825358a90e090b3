// Choice of the devices that a namespace above its limit keeps. Those used most are proposed.
import { billing } from '@bowline/contract/operations/billing'
import { LIMITS } from '@bowline/contract/limits'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import type { Device } from '@bowline/contract/schemas/device'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { LastSeen } from '../../core/devices/last-seen.tsx'
import { type DeviceKind, deviceListQuery } from '../../core/devices/queries.ts'
import { useAction } from '../../core/use-action.ts'
import { keys } from '../../live/apply-events.ts'
import { Callout } from '../../ui/feedback/callout.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Button, Checkbox, Group, Skeleton, Stack, Text, TextInput } from '../../ui/kit.ts'
import { uiMessages } from '../../ui/messages.ts'
import { formatCount } from '../../ui/text/numbers.ts'
import { billingMessages as texts } from './messages.ts'
import { mostUsedQuery } from './queries.ts'
import classes from './billing.module.css'

/** Devices found for the words, of each kind. */
const SHOWN = 20

interface DeviceChooserProps {
  /** Accepted devices. */
  readonly devices: number
  readonly limit: number
  readonly onDone: () => void
}

export function DeviceChooser({ devices, limit, onDone }: DeviceChooserProps) {
  const { api } = useRuntime()
  const proposed = useQuery(mostUsedQuery(api))
  if (proposed.isError && !proposed.data) {
    return <ErrorPanel title={texts.keepFailed} error={proposed.error} onRetry={() => proposed.refetch()} />
  }
  if (!proposed.data) return <Skeleton height={160} />
  return <Choice proposed={proposed.data} devices={devices} limit={limit} onDone={onDone} />
}

function Choice({ proposed, devices, limit, onDone }: DeviceChooserProps & { readonly proposed: readonly Device[] }) {
  const { api } = useRuntime()
  const most = Math.min(limit, LIMITS.deviceChoice)
  const [chosen, setChosen] = useState<ReadonlySet<DeviceUid>>(
    () => new Set(proposed.slice(0, most).map(({ uid }) => uid)),
  )
  const [words, setWords] = useState('')
  const rows = useRows(proposed, chosen, words)
  const keep = useAction({
    call: (choices: DeviceUid[]) => api.call(billing.chooseDevices, { body: { choices } }),
    done: texts.kept,
    failed: texts.keepFailed,
    invalidates: [keys.billing, keys.devices, keys.containers, keys.namespaces, keys.stats],
  })
  const toggle = (uid: DeviceUid): void => {
    const next = new Set(chosen)
    if (!next.delete(uid)) next.add(uid)
    setChosen(next)
  }
  const others = Math.max(0, devices - chosen.size)
  return (
    <Stack gap="sm">
      <Text size="sm">{texts.chooseText(formatCount(most))}</Text>
      <TextInput
        label={texts.chooseSearch}
        value={words}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setWords(event.currentTarget.value)}
      />
      <ul aria-label={texts.chooseList} className={classes['choices']}>
        {rows.map(({ uid, name, info, online, last_seen }) => (
          <li key={uid} className={classes['choice']}>
            <Checkbox
              label={name}
              checked={chosen.has(uid)}
              disabled={!chosen.has(uid) && chosen.size >= most}
              onChange={() => toggle(uid)}
            />
            <Text size="xs" c="dimmed">
              {info?.pretty_name} · <LastSeen device={{ online, last_seen }} />
            </Text>
          </li>
        ))}
      </ul>
      <Text size="sm" component="output">
        {texts.chosen(formatCount(chosen.size), formatCount(most))}
      </Text>
      <Callout tone="warn">{texts.others(others)}</Callout>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onDone}>
          {uiMessages.cancel}
        </Button>
        <Button
          loading={keep.isPending}
          onClick={() => void keep.run([...chosen]).then((isDone) => isDone && onDone())}
        >
          {texts.keep(chosen.size)}
        </Button>
      </Group>
    </Stack>
  )
}

/** Devices to choose from: without words the proposed ones first; with words those that match, and the chosen ones. */
function useRows(proposed: readonly Device[], chosen: ReadonlySet<DeviceUid>, typed: string): readonly Device[] {
  const { api } = useRuntime()
  const words = useDeferredValue(typed.trim())
  const listOf = (kind: DeviceKind) =>
    deviceListQuery(api, { status: 'accepted', page: 1, perPage: SHOWN, sort: 'last_seen', order: 'desc', words }, kind)
  const { data: devices } = useQuery(listOf('devices'))
  const { data: containers } = useQuery(listOf('containers'))
  const known = proposed.filter(({ uid }) => words === '' || chosen.has(uid))
  const all = [...known, ...(devices?.items ?? []), ...(containers?.items ?? [])]
  return [...new Map(all.map((device) => [device.uid, device])).values()]
}

// Picks one of the devices that are online.
import { useQuery } from '@tanstack/react-query'
import { MonitorOff } from 'lucide-react'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Button, Skeleton, Text, Title } from '../../ui/kit.ts'
import { SearchField } from '../../ui/form/search-field.tsx'
import { StatusDot } from '../../ui/text/status-dot.tsx'
import { uiMessages } from '../../ui/messages.ts'
import { deviceListQuery } from '../../core/devices/queries.ts'
import { connectMessages } from './connect-messages.ts'
import { terminalMessages as texts } from './messages.ts'
import type { PaneDevice } from './pane/pane-session.ts'
import classes from './terminal.module.css'

interface DevicePickerProps {
  readonly onPick: (device: PaneDevice) => void
  /** Somebody has asked for it: the keyboard is to be in it. */
  readonly takesFocus: boolean
}

export function DevicePicker({ onPick, takesFocus }: DevicePickerProps) {
  const { api } = useRuntime()
  const [words, setWords] = useState('')
  const query = useQuery(deviceListQuery(api, { status: 'accepted', page: 1, sort: 'last_seen', order: 'desc', words }))
  const online = query.data?.items.filter((device) => device.online)
  return (
    <div className={classes['picker']}>
      <Title order={2}>{texts.pick}</Title>
      <Text c="dimmed" size="sm" mb="sm">
        {texts.pickText}
      </Text>
      <SearchField label={texts.pickSearch} words={words} onSearch={setWords} takesFocus={takesFocus} />
      {query.isError ? (
        <ErrorPanel title={texts.pickFailed} error={query.error} onRetry={() => query.refetch()} />
      ) : null}
      {query.isPending ? <Skeleton height={160} mt="md" /> : null}
      {online?.length === 0 ? (
        <EmptyState icon={<MonitorOff size={24} />} title={texts.pickNone} text={texts.pickNoneText} />
      ) : null}
      {online && online.length > 0 ? (
        <ul className={classes['devices']}>
          {online.map((device) => (
            <li key={device.uid} className={classes['device']}>
              <StatusDot on label={uiMessages.online} />
              <span className={classes['deviceName']}>{device.name}</span>
              <Button
                size="compact-sm"
                aria-label={connectMessages.connectTo(device.name)}
                onClick={() => onPick(device)}
              >
                {connectMessages.connect}
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}

// A newly registered device in the add-device dialog: pending, then accepted, then online.
import { ApiError } from '@bowline/contract/client'
import type { Device } from '@bowline/contract/schemas/device'
import { useQuery } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useRuntime } from '../../../core/context.tsx'
import { ErrorPanel } from '../../../ui/feedback/error-panel.tsx'
import { Group, Loader, Skeleton, Text } from '../../../ui/kit.ts'
import { useDeviceActions } from '../actions.ts'
import { DeviceRowActions } from '../device-row-actions.tsx'
import { KeyFingerprint } from '../key-fingerprint.tsx'
import { devicesMessages as texts } from '../messages.ts'
import { deviceQuery } from '../../../core/devices/queries.ts'
import { SshLine } from '../ssh-line.tsx'
import classes from './add-device.module.css'

type Step = 'pending' | 'rejected' | 'connecting' | 'connected'

function stepOf({ status, online }: Device): Step {
  if (status === 'pending') return 'pending'
  if (status !== 'accepted') return 'rejected'
  return online ? 'connected' : 'connecting'
}

export function ArrivedDevice({ uid }: { readonly uid: string }) {
  const { api } = useRuntime()
  const query = useQuery(deviceQuery(api, uid))
  const actions = useDeviceActions()
  const card = useRef<HTMLElement>(null)
  const shown = query.data ? stepOf(query.data) : undefined
  // It arrives below the commands, where the dialog ends; each step makes it another size.
  useEffect(() => {
    card.current?.scrollIntoView({ block: 'nearest' })
    // oxlint-disable-next-line react/exhaustive-effect-dependencies, react-hooks/exhaustive-deps -- each step has another size
  }, [shown])
  // It was removed in the meantime.
  if (query.error instanceof ApiError && query.error.status === 404) return null
  if (query.isError && !query.data) {
    return <ErrorPanel title={texts.deviceFailed} error={query.error} onRetry={() => query.refetch()} />
  }
  const device = query.data
  if (!device) return <Skeleton height={72} />
  const step = stepOf(device)
  return (
    <section ref={card} aria-label={device.name} className={classes['card']} data-state={step}>
      <div className={classes['head']}>
        <Text fw={600}>{texts.steps[step](device.name)}</Text>
        {step === 'pending' ? (
          <Group gap="xs">
            <DeviceRowActions
              device={device}
              onAccept={() => void actions.run('accept', device)}
              onReject={() => void actions.run('reject', device)}
            />
          </Group>
        ) : null}
        {step === 'connecting' ? <Loader size="xs" aria-hidden /> : null}
        {step === 'connected' ? <Check size={18} color="var(--bowline-online)" aria-hidden /> : null}
      </div>
      {step === 'pending' ? (
        <div className={classes['facts']}>
          <span>{device.info?.pretty_name}</span>
          <span>{device.remote_addr}</span>
          <span>{device.identity?.mac}</span>
          <KeyFingerprint publicKey={device.public_key} />
        </div>
      ) : null}
      {step === 'connected' ? <SshLine device={device} /> : null}
    </section>
  )
}

// The devices of one cluster.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useRuntime } from '../../../core/context.tsx'
import { deviceListQuery } from '../../../core/devices/queries.ts'
import { IconButton } from '../../../ui/controls/icon-button.tsx'
import { ErrorPanel } from '../../../ui/feedback/error-panel.tsx'
import { Skeleton } from '../../../ui/kit.ts'
import { SectionCard } from '../../../ui/page/section-card.tsx'
import { StatusDot } from '../../../ui/text/status-dot.tsx'
import { devicesMessages } from '../messages.ts'
import { type DevicesSearch, choicesOf } from '../search.ts'
import classes from './map.module.css'
import { mapMessages as texts } from './messages.ts'

interface DevicesHereProps {
  readonly cell: string
  readonly place: string
  readonly search: DevicesSearch
  readonly onClose: () => void
}

const SHOWN = 25

export function DevicesHere({ cell, place, search, onClose }: DevicesHereProps) {
  const { api } = useRuntime()
  const panel = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // It returns a promise in newer browsers, which is no way to end an effect.
    panel.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  const choices = { ...choicesOf(search), cell }
  const list = useQuery(
    deviceListQuery(api, { status: 'accepted', page: 1, perPage: SHOWN, sort: 'name', order: 'asc', ...choices }),
  )
  return (
    <div ref={panel}>
      <SectionCard
        title={texts.here(place)}
        actions={
          <>
            <Link to="/devices" search={{ ...search, cell, page: 1 }}>
              {texts.inList}
            </Link>
            <IconButton aria-label={texts.close} onClick={onClose}>
              <X size={16} aria-hidden />
            </IconButton>
          </>
        }
      >
        {list.isError && !list.data ? (
          <ErrorPanel title={devicesMessages.loadFailed} error={list.error} onRetry={() => list.refetch()} />
        ) : list.data ? (
          <ul className={classes['list']}>
            {list.data.items.map(({ uid, name, online, tags }) => (
              <li key={uid}>
                <StatusDot on={online} label={devicesMessages.presences[online ? 'online' : 'offline']} />
                <Link to="/devices/$uid" params={{ uid }}>
                  {name}
                </Link>
                <span>{tags.join(', ')}</span>
              </li>
            ))}
          </ul>
        ) : (
          <Skeleton height={80} />
        )}
      </SectionCard>
    </div>
  )
}

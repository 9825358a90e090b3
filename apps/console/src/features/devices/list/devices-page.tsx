// Device list by status; also the container list, as containers are devices of another platform.
import type { Device } from '@bowline/contract/schemas/device'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Plus, X } from 'lucide-react'
import { Suspense, lazy, useCallback, useMemo, useState } from 'react'
import { useMay, useRuntime } from '../../../core/context.tsx'
import { Button, Stack } from '../../../ui/kit.ts'
import { Page } from '../../../ui/page/page.tsx'
import { PagedTable } from '../../../ui/list/paged-table.tsx'
import { SearchField } from '../../../ui/form/search-field.tsx'
import { useDeviceActions } from '../actions.ts'
import { DEVICE_COLUMNS } from './device-columns.tsx'
import { DeviceRowActions } from '../device-row-actions.tsx'
import { DeviceTabs } from './device-tabs.tsx'
import { devicesMessages as texts } from '../messages.ts'
import { NoContainers, NoDevices, NoMatches } from './no-devices.tsx'
import { PresenceChoice } from './presence-choice.tsx'
import { DEVICES_PER_PAGE, DEVICE_SORTS, type DeviceKind, deviceListQuery } from '../../../core/devices/queries.ts'
import { RemoveDevice } from '../remove-device.tsx'
import { type DevicesSearch, deviceListOf } from './search.ts'
import classes from '../devices.module.css'
import { pageFile } from '../../../platform/page-files.ts'

// Kept out of the first page's bundle.
const loadAddDevice = pageFile(() => import('../add/add-device.tsx'))
const AddDevice = lazy(async () => ({ default: (await loadAddDevice()).AddDevice }))
const loadBulkBar = pageFile(() => import('../bulk/bulk-bar.tsx'))
const BulkBar = lazy(async () => ({ default: (await loadBulkBar()).BulkBar }))
const loadConnectors = pageFile(() => import('../../connectors/connectors-card.tsx'))
const ConnectorsCard = lazy(async () => ({ default: (await loadConnectors()).ConnectorsCard }))

const NOTHING: ReadonlySet<string> = new Set()

interface DevicesPageProps {
  readonly kind: DeviceKind
  readonly search: DevicesSearch
}

export function DevicesPage({ kind, search }: DevicesPageProps) {
  const { api } = useRuntime()
  const path = kind === 'devices' ? '/devices' : '/containers'
  const navigate = useNavigate({ from: path })
  const shown = deviceListOf(search)
  const list = useQuery(deviceListQuery(api, shown, kind))
  const actions = useDeviceActions()
  const mayAccept = useMay('deviceAccept')
  const [removing, setRemoving] = useState<Device>()
  const [chosen, setChosen] = useState(NOTHING)
  const { status, page, tag } = search
  const searchFor = useCallback(
    (words: string) => {
      const q = words === '' ? undefined : words
      void navigate({ to: path, search: (before) => ({ ...before, q, page: 1 }), replace: true })
    },
    [navigate, path],
  )
  const open = (next: Partial<DevicesSearch>, replace = false) =>
    void navigate({ to: path, search: { ...search, ...next }, replace })
  // A rejected device has no sessions to lose; it comes back by registering again.
  const remove = (device: Device) =>
    device.status === 'accepted' ? setRemoving(device) : void actions.run('remove', device)
  // Only visible rows can be acted on: rows that disappeared lose their selection.
  const selected = useMemo(() => (list.data?.items ?? []).filter(({ uid }) => chosen.has(uid)), [list.data, chosen])

  const wanted = shown.words || shown.tag || (shown.presence && texts.presences[shown.presence])
  const selection = { keys: chosen, onChange: setChosen, label: (device: Device) => texts.select(device.name) }

  return (
    <Page
      title={texts.kinds[kind]}
      actions={
        kind === 'devices' ? (
          <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => open({ add: 'yes' })}>
            {texts.add}
          </Button>
        ) : null
      }
    >
      <DeviceTabs kind={kind} search={search}>
        <div className={classes['choices']}>
          {status === 'accepted' ? (
            <PresenceChoice chosen={search.presence} onChoose={(presence) => open({ presence, page: 1 }, true)} />
          ) : null}
          <SearchField label={texts.searchKinds[kind]} words={shown.words} onSearch={searchFor} />
        </div>
      </DeviceTabs>
      {tag === undefined ? null : (
        <Button
          size="compact-sm"
          variant="default"
          rightSection={<X size={13} aria-hidden />}
          aria-label={`${texts.tagFilter(tag)}. ${texts.clearTag(tag)}`}
          className={classes['tagFilter'] ?? ''}
          onClick={() => open({ tag: undefined, page: 1 })}
        >
          {texts.tagFilter(tag)}
        </Button>
      )}
      <PagedTable
        key={`${status} ${page}`}
        label={texts.tableLabel(texts.tabs[status])}
        list={list}
        failed={texts.loadFailed}
        columns={DEVICE_COLUMNS[status]}
        rowKey={(device) => device.uid}
        {...(status === 'removed' ? {} : { selection })}
        sort={{ by: shown.sort, order: shown.order }}
        onSort={({ by, order }) => open({ page: 1, sort: DEVICE_SORTS.find((known) => known === by), order })}
        onRowKey={(device, key) => {
          if (!mayAccept || device.status !== 'pending' || (key !== 'a' && key !== 'r')) return false
          void actions.run(key === 'a' ? 'accept' : 'reject', device)
          return true
        }}
        renderActions={(device) => (
          <DeviceRowActions
            device={device}
            onAccept={() => void actions.run('accept', device)}
            onReject={() => void actions.run('reject', device)}
            onRemove={() => remove(device)}
          />
        )}
        empty={
          wanted ? <NoMatches words={wanted} /> : kind === 'devices' ? <NoDevices status={status} /> : <NoContainers />
        }
        page={page}
        perPage={DEVICES_PER_PAGE}
        onPageGone={(last) => open({ page: last }, true)}
        renderPageLink={(target, children, label, className) => (
          <Link to={path} search={{ ...search, page: target }} aria-label={label} className={className}>
            {children}
          </Link>
        )}
      />
      {kind === 'containers' ? (
        <Suspense>
          <Stack mt="md">
            <ConnectorsCard />
          </Stack>
        </Suspense>
      ) : null}
      {selected.length ? (
        <Suspense>
          <BulkBar selected={selected} onClear={() => setChosen(NOTHING)} />
        </Suspense>
      ) : null}
      <RemoveDevice
        device={removing}
        onClose={() => setRemoving(undefined)}
        onConfirm={(device) => void actions.run('remove', device)}
      />
      <Suspense>
        {search.add === 'yes' ? <AddDevice opened onClose={() => open({ add: undefined }, true)} /> : null}
      </Suspense>
    </Page>
  )
}

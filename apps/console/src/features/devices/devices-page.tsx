// The devices of the namespace: accepted, pending, rejected.
import type { Device } from '@bowline/contract/schemas/device'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useCallback, useState } from 'react'
import { useMay, useRuntime } from '../../app/context.tsx'
import { Button } from '../../ui/kit.ts'
import { Page } from '../../ui/page.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { useDeviceActions } from './actions.ts'
import { AddDevice } from './add-device.tsx'
import { DEVICE_COLUMNS } from './device-columns.tsx'
import { DeviceRowActions } from './device-row-actions.tsx'
import { DeviceTabs } from './device-tabs.tsx'
import { devicesMessages as texts } from './messages.ts'
import { NoDevices, NoMatches } from './no-devices.tsx'
import { DEVICES_PER_PAGE, DEVICE_SORTS, deviceListQuery } from './queries.ts'
import { RemoveDevice } from './remove-device.tsx'
import { type DevicesSearch, deviceListOf } from './search.ts'

export function DevicesPage({ search }: { readonly search: DevicesSearch }) {
  const { api } = useRuntime()
  const navigate = useNavigate()
  const shown = deviceListOf(search)
  const list = useQuery(deviceListQuery(api, shown))
  const actions = useDeviceActions()
  const mayAccept = useMay('deviceAccept')
  const [removing, setRemoving] = useState<Device>()
  const { status, page } = search
  const searchFor = useCallback(
    (words: string) => {
      const q = words === '' ? undefined : words
      void navigate({ to: '/devices', search: (before) => ({ ...before, q, page: 1 }), replace: true })
    },
    [navigate],
  )
  const open = (next: Partial<DevicesSearch>, replace = false) =>
    void navigate({ to: '/devices', search: { ...search, ...next }, replace })
  // A rejected device has no sessions that could go with it; it comes back by registering again.
  const remove = (device: Device) =>
    device.status === 'accepted' ? setRemoving(device) : void actions.run('remove', device)

  return (
    <Page
      title={texts.title}
      actions={
        <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => open({ add: 'yes' })}>
          {texts.add}
        </Button>
      }
    >
      <DeviceTabs status={status} words={search.q}>
        <SearchField label={texts.search} words={shown.words} onSearch={searchFor} />
      </DeviceTabs>
      <PagedTable
        label={texts.tableLabel(texts.tabs[status])}
        list={list}
        failed={texts.loadFailed}
        columns={DEVICE_COLUMNS[status]}
        rowKey={(device) => device.uid}
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
        empty={shown.words === '' ? <NoDevices status={status} /> : <NoMatches words={shown.words} />}
        page={page}
        perPage={DEVICES_PER_PAGE}
        onPageGone={(last) => open({ page: last }, true)}
        renderPageLink={(target, children, label, className) => (
          <Link to="/devices" search={{ ...search, page: target }} aria-label={label} className={className}>
            {children}
          </Link>
        )}
      />
      <RemoveDevice
        device={removing}
        onClose={() => setRemoving(undefined)}
        onConfirm={(device) => void actions.run('remove', device)}
      />
      <AddDevice opened={search.add === 'yes'} onClose={() => open({ add: undefined }, true)} />
    </Page>
  )
}

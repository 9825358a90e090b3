// Device list by status; also the container list, as containers are devices of another platform.
import type { Device } from '@bowline/contract/schemas/device'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { Suspense, lazy, useCallback, useMemo, useState } from 'react'
import { useRuntime } from '../../../core/context.tsx'
import { useDialogFile } from '../../../core/use-dialog-file.ts'
import { Button, Stack } from '../../../ui/kit.ts'
import { Page } from '../../../ui/page/page.tsx'
import { PagedTable } from '../../../ui/list/paged-table.tsx'
import { SearchField } from '../../../ui/form/search-field.tsx'
import { useDeviceActions } from '../actions.ts'
import { useVisibleColumns } from './columns-choice.ts'
import { DEVICE_COLUMNS } from './device-columns.tsx'
import { DeviceRowActions } from '../device-row-actions.tsx'
import { DeviceTabs } from './device-tabs.tsx'
import { CopySsh, useSshLines } from '../copy-ssh.tsx'
import { FavoriteSwitch, Favorites, useFavorite, useFavorites } from '../favorites.tsx'
import { devicesMessages as texts } from '../messages.ts'
import { NoContainers, NoDevices, NoMatches } from './no-devices.tsx'
import { SearchNote } from '../search-note.tsx'
import { FacetBar } from './facet-bar.tsx'
import { ListMenu } from './list-menu.tsx'
import { useRowKeys } from './row-keys.ts'
import { ViewToggle } from './view-toggle.tsx'
import { deviceFilter } from '../../../core/devices/device-filter.ts'
import { DEVICES_PER_PAGE, DEVICE_SORTS, type DeviceKind, deviceListQuery } from '../../../core/devices/queries.ts'
import { savedQuery } from '../../views/saved-query.ts'
import { ViewsMenu } from '../../views/views-menu.tsx'
import { DevicesSearch, SAVED, choicesOf, deviceListOf, inTab } from '../search.ts'
import classes from '../../../ui/controls/choice-menu.module.css'
import { lazyPart, useLoaded } from '../../../platform/lazy-part.tsx'
import { pageFile } from '../../../platform/page-files.ts'
import { useHandler } from '../../../platform/use-handler.ts'
import { useStable } from '../../../platform/use-stable.ts'

// Kept out of the first page's bundle.
const loadAddDevice = pageFile(() => import('../add/add-device.tsx'))
const AddDevice = lazy(async () => ({ default: (await loadAddDevice()).AddDevice }))
const loadEdit = pageFile(() => import('../detail/edit-device.tsx'))
const EditDevice = lazy(async () => ({ default: (await loadEdit()).EditDevice }))
const loadRemove = pageFile(() => import('../remove-device.tsx'))
const loadBulkBar = pageFile(() => import('../bulk/bulk-bar.tsx'))
const BulkBar = lazy(async () => ({ default: (await loadBulkBar()).BulkBar }))
const loadConnectors = pageFile(() => import('../../connectors/connectors-card.tsx'))
const ConnectorsCard = lazy(async () => ({ default: (await loadConnectors()).ConnectorsCard }))

const loadChanges = pageFile(() => import('../bell/recent-changes.tsx'), 'soon')

const loadCompletion = pageFile(() => import('../completion/search-completion.tsx'))
const SearchCompletion = lazyPart(loadCompletion, (module) => module.SearchCompletion)

const NOTHING: ReadonlySet<string> = new Set()

interface Editing {
  readonly device: Device
  readonly part: 'name' | 'tags'
}

interface DevicesPageProps {
  readonly kind: DeviceKind
  readonly search: DevicesSearch
}

export function DevicesPage({ kind, search }: DevicesPageProps) {
  const { api } = useRuntime()
  const path = kind === 'devices' ? '/devices' : '/containers'
  const navigate = useNavigate({ from: path })
  const shown = deviceListOf(search)
  const visible = useVisibleColumns(search)
  const list = useQuery(deviceListQuery(api, shown, kind))
  const actions = useDeviceActions()
  const [removing, setRemoving] = useState<Device>()
  const removal = useDialogFile(loadRemove, removing !== undefined, () => setRemoving(undefined))
  const [chosen, setChosen] = useState(NOTHING)
  const [editing, setEditing] = useState<Editing>()
  const [isTagging, setTagging] = useState(false)
  const { status, page } = search
  const searchFor = useCallback(
    (words: string) => {
      const q = words === '' ? undefined : words
      void navigate({ to: path, search: (before) => ({ ...before, q, page: 1 }), replace: true })
    },
    [navigate, path],
  )
  const open = (next: Partial<DevicesSearch>, replace = false) =>
    void navigate({ to: path, search: { ...search, ...next }, replace })
  const narrowed = useStable(inTab(search, status))
  const narrow = useHandler((change: Partial<DevicesSearch>) => open({ ...change, page: 1 }))
  const favorites = useFavorites()
  const favor = useHandler(useFavorite())
  // Only visible rows can be acted on: rows that disappeared lose their selection.
  const selected = useMemo(() => (list.data?.items ?? []).filter(({ uid }) => chosen.has(uid)), [list.data, chosen])
  const onRowKey = useRowKeys({
    actions,
    onFavorite: favor,
    onEdit(device, part) {
      // The key means the selection, unless that is this row alone, whose tags can be changed one by one.
      if (part === 'tags' && selected.some(({ uid }) => uid !== device.uid)) setTagging(true)
      else setEditing({ device, part })
    },
  })
  const lineOf = useSshLines()
  const changes = useLoaded(loadChanges)
  const run = useHandler(actions.run)
  const renderActions = useCallback(
    (device: Device) => (
      <>
        {device.status === 'removed' ? null : <FavoriteSwitch device={device} onChange={favor} />}
        {device.status === 'accepted' && lineOf ? <CopySsh device={device} line={lineOf(device)} /> : null}
        <DeviceRowActions
          device={device}
          onAccept={() => void run('accept', device)}
          onReject={() => void run('reject', device)}
          // A rejected device has no sessions to lose; it comes back by registering again.
          onRemove={() => (device.status === 'accepted' ? setRemoving(device) : void run('remove', device))}
        />
      </>
    ),
    [run, favor, lineOf],
  )

  if (isTagging && selected.length === 0) setTagging(false)
  const isNarrowed = deviceFilter(choicesOf(search)) !== undefined
  const selection = { keys: chosen, onChange: setChosen, label: (device: Device) => texts.select(device.name) }

  return (
    <Page
      title={texts.kinds[kind]}
      actions={
        <>
          {changes ? <changes.RecentChanges /> : null}
          {kind === 'devices' ? (
            <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => open({ add: 'yes' })}>
              {texts.add}
            </Button>
          ) : null}
        </>
      }
    >
      <DeviceTabs kind={kind} search={narrowed}>
        <div className={classes['tools']}>
          <ViewsMenu
            list={kind}
            query={savedQuery(search, SAVED)}
            columns={visible}
            onOpen={(query) => void navigate({ to: path, search: DevicesSearch.parse(query) })}
          />
          <ListMenu kind={kind} search={search} onChange={(next) => open(next, true)} />
          {kind === 'devices' && status === 'accepted' ? <ViewToggle view="map" search={narrowed} /> : null}
          <SearchField
            label={texts.searchKinds[kind]}
            hint={texts.searchHint}
            words={search.q ?? ''}
            onSearch={searchFor}
            renderCompletion={(slot) => <SearchCompletion kind={kind} search={narrowed} slot={slot} />}
          />
        </div>
      </DeviceTabs>
      <SearchNote words={search.q} />
      <FacetBar kind={kind} search={narrowed} onChange={narrow} />
      <Favorites value={favorites}>
        <PagedTable
          key={status}
          visit={page}
          label={texts.tableLabel(texts.tabs[status])}
          list={list}
          failed={texts.loadFailed}
          columns={DEVICE_COLUMNS}
          visible={visible}
          scrolls
          keysHint={texts.rowKeys}
          rowKey={(device) => device.uid}
          {...(status === 'removed' ? {} : { selection })}
          sort={{ by: shown.sort, order: shown.order }}
          onSort={({ by, order }) => open({ page: 1, sort: DEVICE_SORTS.find((known) => known === by), order })}
          onRowKey={onRowKey}
          renderActions={renderActions}
          empty={isNarrowed ? <NoMatches /> : kind === 'devices' ? <NoDevices status={status} /> : <NoContainers />}
          page={page}
          perPage={search.size ?? DEVICES_PER_PAGE}
          onPageGone={(last) => open({ page: last }, true)}
          renderPageLink={(target, children, label, className) => (
            <Link to={path} search={{ ...search, page: target }} aria-label={label} className={className}>
              {children}
            </Link>
          )}
        />
      </Favorites>
      {kind === 'containers' ? (
        <Suspense>
          <Stack mt="md">
            <ConnectorsCard />
          </Stack>
        </Suspense>
      ) : null}
      {selected.length ? (
        <Suspense>
          <BulkBar
            key={deviceFilter(choicesOf(search)) ?? status}
            kind={kind}
            search={search}
            tagging={isTagging}
            onTagging={setTagging}
            selected={selected}
            shown={list.data?.items.length ?? 0}
            total={list.data?.total ?? 0}
            onClear={() => setChosen(NOTHING)}
          />
        </Suspense>
      ) : null}
      <Suspense>
        {editing ? (
          <EditDevice {...editing} key={editing.device.uid} opened onClose={() => setEditing(undefined)} />
        ) : null}
      </Suspense>
      {removal ? (
        <removal.RemoveDevice
          device={removing}
          onClose={() => setRemoving(undefined)}
          onConfirm={(device) => void actions.run('remove', device)}
        />
      ) : null}
      <Suspense>
        {search.add ? (
          <AddDevice
            opened
            way={search.add}
            onWay={(add) => open({ add }, true)}
            onClose={() => open({ add: undefined }, true)}
          />
        ) : null}
      </Suspense>
    </Page>
  )
}

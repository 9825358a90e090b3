// Where devices are: clusters on a map, and the same as a table. What narrows the list of devices narrows the map.
import { MAP_STEPS } from '@bowline/contract/schemas/device'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { MapPinOff } from 'lucide-react'
import { useCallback, useRef, useState } from 'react'
import { useRuntime } from '../../../core/context.tsx'
import { announce } from '../../../ui/feedback/announce.tsx'
import { EmptyState } from '../../../ui/feedback/empty-state.tsx'
import { ErrorPanel } from '../../../ui/feedback/error-panel.tsx'
import { SearchField } from '../../../ui/form/search-field.tsx'
import { Button } from '../../../ui/kit.ts'
import { BackLink } from '../../../ui/page/back-link.tsx'
import { Page } from '../../../ui/page/page.tsx'
import { SectionCard } from '../../../ui/page/section-card.tsx'
import { formatCount } from '../../../ui/text/numbers.ts'
import { deviceFilter } from '../../../core/devices/device-filter.ts'
import { FacetBar } from '../list/facet-bar.tsx'
import { ViewToggle } from '../list/view-toggle.tsx'
import { SearchNote } from '../search-note.tsx'
import { devicesMessages } from '../messages.ts'
import { type DevicesSearch, KEYWORDS_LINE, choicesOf, inTab } from '../search.ts'
import { DevicesHere } from './devices-here.tsx'
import classes from './map.module.css'
import { mapMessages as texts } from './messages.ts'
import { MAX_ZOOM, boxOf, stepFor, worldOf } from './projection.ts'
import { positionsQuery } from './queries.ts'
import { useViewport } from './use-viewport.ts'
import { type Cell, WorldMap, placeName } from './world-map.tsx'

/** By how much a press on a cluster zooms in: to about the next size of cells. */
const PRESS_FACTOR = 3.5
const FINEST = '0.01'

export function MapPage({ search: address }: { readonly search: DevicesSearch }) {
  const { api } = useRuntime()
  const navigate = useNavigate({ from: '/devices/map' })
  // Only accepted devices are on the map.
  const search = inTab({ ...address, cell: undefined }, 'accepted')
  const choices = choicesOf(search)
  const frame = useRef<HTMLElement>(null)
  const control = useViewport(frame)
  const { viewport, size, show } = control
  const step = stepFor(MAP_STEPS, viewport, size)
  const box = boxOf(viewport, size, Number(step))
  const positions = useQuery({ ...positionsQuery(api, { step, box, choices }), enabled: size.width > 0 })
  const [chosen, setChosen] = useState<{ readonly cell: string; readonly place: string }>()
  const set = (change: Partial<DevicesSearch>): void => {
    setChosen(undefined)
    void navigate({ search: { ...search, ...change }, replace: true })
  }
  const searchFor = useCallback(
    (words: string) => {
      const q = words === '' ? undefined : words
      void navigate({ search: (before) => ({ ...before, q }), replace: true })
    },
    [navigate],
  )
  const open = (cell: Cell): void => {
    setChosen({ cell: cell.cell, place: placeName(cell) })
    announce(texts.here(placeName(cell)))
  }
  const press = (cell: Cell): void => {
    const isDeepest = step === FINEST || viewport.zoom >= MAX_ZOOM || cell.online + cell.offline === 1
    if (isDeepest) return open(cell)
    setChosen(undefined)
    show({ ...worldOf(cell), zoom: viewport.zoom * PRESS_FACTOR })
  }
  const { cells = [], unknown = 0, omitted = 0, outside = 0 } = positions.data ?? {}
  const isEmpty = positions.data !== undefined && cells.length === 0 && outside === 0
  const isNarrowed = deviceFilter(choices) !== undefined
  return (
    <Page title={texts.title} trail={<BackLink to="/devices" label={texts.back} />}>
      <div className={classes['tools']}>
        <ViewToggle view="list" search={search} />
        <SearchField label={devicesMessages.searchKinds.devices} words={search.q ?? ''} onSearch={searchFor} />
      </div>
      <SearchNote words={search.q} />
      <FacetBar kind="devices" search={search} onChange={set} />
      {positions.isError && !positions.data ? (
        <ErrorPanel title={texts.failed} error={positions.error} onRetry={() => positions.refetch()} />
      ) : null}
      {isEmpty ? (
        <EmptyState
          icon={<MapPinOff size={24} />}
          title={isNarrowed ? texts.noMatches : texts.none}
          text={isNarrowed ? devicesMessages.noMatchesText(KEYWORDS_LINE) : texts.noneText}
        >
          {isNarrowed ? null : (
            <a href="/docs/user-guides/devices/map#where-positions-come-from" target="_blank" rel="noopener">
              {texts.howTo}
            </a>
          )}
        </EmptyState>
      ) : null}
      <div hidden={isEmpty}>
        <WorldMap
          frame={frame}
          control={control}
          cells={cells}
          chosen={chosen?.cell}
          isBusy={positions.isPlaceholderData}
          onPress={press}
        />
      </div>
      <div className={classes['notes']}>
        {isEmpty ? null : <p>{texts.legend}</p>}
        {unknown > 0 ? <p>{texts.unknown(unknown)}</p> : null}
        {omitted > 0 ? <p>{texts.omitted(omitted)}</p> : null}
      </div>
      <div className={classes['parts']}>
        {chosen ? (
          <DevicesHere key={chosen.cell} {...chosen} search={search} onClose={() => setChosen(undefined)} />
        ) : null}
        {cells.length > 0 ? (
          <SectionCard title={texts.table}>
            {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls by keys */}
            <section className={classes['scroll']} aria-label={texts.table} tabIndex={0}>
              <table className={classes['table']}>
                <thead>
                  <tr>
                    <th>{texts.columns.place}</th>
                    <th>{texts.columns.devices}</th>
                    <th>{texts.columns.online}</th>
                    <th>
                      <span hidden>{texts.open}</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {cells.map((cell) => (
                    <tr key={cell.cell}>
                      <td>{placeName(cell)}</td>
                      <td>{formatCount(cell.online + cell.offline)}</td>
                      <td>{formatCount(cell.online)}</td>
                      <td>
                        <Button
                          size="compact-sm"
                          variant="default"
                          aria-label={texts.openAt(placeName(cell))}
                          onClick={() => open(cell)}
                        >
                          {texts.open}
                        </Button>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </section>
          </SectionCard>
        ) : null}
      </div>
    </Page>
  )
}

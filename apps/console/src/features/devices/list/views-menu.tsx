// Saved views of the list: the person's own, and those of the namespace.
import { type SavedView, views } from '@bowline/contract/operations/fleet/views'
import { useQuery } from '@tanstack/react-query'
import { Bookmark, Trash2 } from 'lucide-react'
import { Suspense, lazy, useState } from 'react'
import { useMay, useRuntime } from '../../../core/context.tsx'
import type { DeviceKind } from '../../../core/devices/queries.ts'
import { useAction } from '../../../core/use-action.ts'
import { keys } from '../../../live/apply-events.ts'
import { pageFile } from '../../../platform/page-files.ts'
import { Button, Menu } from '../../../ui/kit.ts'
import { devicesMessages as texts } from '../messages.ts'
import { visibleColumns } from './columns-choice.ts'
import { viewsQuery } from './queries.ts'
import { DevicesSearch, SAVED } from '../search.ts'
import choice from '../../../ui/controls/choice-menu.module.css'
import classes from './list.module.css'

const loadSaveView = pageFile(() => import('./save-view.tsx'))
const SaveView = lazy(async () => ({ default: (await loadSaveView()).SaveView }))

interface ViewsMenuProps {
  readonly kind: DeviceKind
  readonly search: DevicesSearch
  readonly onOpen: (search: DevicesSearch) => void
}

export function ViewsMenu({ kind, search, onOpen }: ViewsMenuProps) {
  const { api } = useRuntime()
  const { data: saved = [] } = useQuery(viewsQuery(api, kind))
  const [saving, setSaving] = useState(false)
  const query = toQuery(search)
  const current = saved.find((view) => isSame(view, query))
  const groups = [
    { label: texts.ownViews, views: saved.filter(({ shared }) => !shared) },
    { label: texts.sharedViews, views: saved.filter(({ shared }) => shared) },
  ]
  return (
    <>
      <Menu position="bottom-start" withinPortal>
        <Menu.Target>
          <Button size="xs" variant="default" fw={500} leftSection={<Bookmark size={14} aria-hidden />}>
            {current?.name ?? texts.views}
          </Button>
        </Menu.Target>
        <Menu.Dropdown className={choice['values'] ?? ''}>
          {groups.map(({ label, views: members }) =>
            members.length === 0 ? null : (
              <div key={label}>
                <Menu.Label>{label}</Menu.Label>
                {members.map((view) => (
                  <ViewItem
                    key={view.id}
                    view={view}
                    isCurrent={view === current}
                    onOpen={() => onOpen(DevicesSearch.parse(view.query))}
                  />
                ))}
              </div>
            ),
          )}
          {saved.length === 0 ? <Menu.Label>{texts.noViews}</Menu.Label> : <Menu.Divider />}
          <Menu.Item onClick={() => setSaving(true)}>{texts.saveView}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Suspense>
        {saving ? (
          <SaveView
            kind={kind}
            query={{ ...query, cols: [...visibleColumns(search)] }}
            onClose={() => setSaving(false)}
          />
        ) : null}
      </Suspense>
    </>
  )
}

interface ViewItemProps {
  readonly view: SavedView
  readonly isCurrent: boolean
  readonly onOpen: () => void
}

function ViewItem({ view, isCurrent, onOpen }: ViewItemProps) {
  const { api } = useRuntime()
  const mayShare = useMay('deviceUpdate')
  const remove = useAction({
    call: ({ id }: SavedView) => api.call(views.remove, { params: { id } }),
    done: ({ name }) => texts.viewRemoved(name),
    failed: ({ name }) => texts.viewRemoveFailed(name),
    undo: ({ name, list, shared, query }) => api.call(views.create, { body: { name, list, shared, query } }),
    invalidates: [keys.views],
  })
  return (
    <div className={classes['view']}>
      <Menu.Item fw={isCurrent ? 600 : 400} aria-current={isCurrent ? 'true' : undefined} onClick={onOpen}>
        {view.name}
      </Menu.Item>
      {view.shared && !mayShare ? null : (
        <Menu.Item
          aria-label={texts.removeView(view.name)}
          className={classes['viewRemove'] ?? ''}
          onClick={() => void remove.run(view)}
        >
          <Trash2 size={14} aria-hidden />
        </Menu.Item>
      )}
    </div>
  )
}

/** The saved part of the address. */
function toQuery(search: DevicesSearch): SavedView['query'] {
  return Object.fromEntries(SAVED.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])))
}

function isSame(view: SavedView, query: SavedView['query']): boolean {
  const sorted = (of: SavedView['query']) => JSON.stringify(Object.entries(of).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return sorted(view.query) === sorted(query)
}

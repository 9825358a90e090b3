// Saved views of a list: the person's own, and those of the namespace.
import { type SavedView, views } from '@bowline/contract/operations/fleet/views'
import { useQuery } from '@tanstack/react-query'
import { Bookmark, Trash2 } from 'lucide-react'
import { Suspense, lazy, useState } from 'react'
import { useMay, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { keys } from '../../live/apply-events.ts'
import { pageFile } from '../../platform/page-files.ts'
import { Button } from '../../ui/kit.ts'
import { MenuButton } from '../../ui/controls/menu-button.tsx'
import { Menu } from '../../ui/controls/menu-parts.tsx'
import { viewsMessages as texts } from './messages.ts'
import { viewsQuery } from './queries.ts'
import { isSameQuery } from './saved-query.ts'
import choice from '../../ui/controls/choice-menu.module.css'
import classes from './views.module.css'

const loadSaveView = pageFile(() => import('./save-view.tsx'))
const SaveView = lazy(async () => ({ default: (await loadSaveView()).SaveView }))

interface ViewsMenuProps {
  readonly list: SavedView['list']
  /** The saved part of the present address. */
  readonly query: SavedView['query']
  /** Columns of the table now: a view brings them along. */
  readonly columns: readonly string[]
  readonly onOpen: (query: SavedView['query']) => void
}

export function ViewsMenu({ list, query, columns, onOpen }: ViewsMenuProps) {
  const { api } = useRuntime()
  const { data: saved = [] } = useQuery(viewsQuery(api, list))
  const [saving, setSaving] = useState(false)
  const current = saved.find((view) => isSameQuery(view.query, query))
  const groups = [
    { label: texts.own, views: saved.filter(({ shared }) => !shared) },
    { label: texts.shared, views: saved.filter(({ shared }) => shared) },
  ]
  return (
    <>
      <MenuButton
        position="bottom-start"
        withinPortal
        menuClass={choice['values']}
        face={
          <Button size="xs" variant="default" fw={500} leftSection={<Bookmark size={14} aria-hidden />}>
            {current?.name ?? texts.views}
          </Button>
        }
      >
        {groups.map(({ label, views: members }) =>
          members.length === 0 ? null : (
            <div key={label}>
              <Menu.Label>{label}</Menu.Label>
              {members.map((view) => (
                <ViewItem key={view.id} view={view} isCurrent={view === current} onOpen={() => onOpen(view.query)} />
              ))}
            </div>
          ),
        )}
        {saved.length === 0 ? <Menu.Label>{texts.none}</Menu.Label> : <Menu.Divider />}
        <Menu.Item onClick={() => setSaving(true)}>{texts.save}</Menu.Item>
      </MenuButton>
      <Suspense>
        {saving ? (
          <SaveView list={list} query={{ ...query, cols: [...columns] }} onClose={() => setSaving(false)} />
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
    done: ({ name }) => texts.removed(name),
    failed: ({ name }) => texts.removeFailed(name),
    undo: ({ id: _id, created_at: _at, ...body }) => api.call(views.create, { body }),
    invalidates: [keys.views],
  })
  return (
    <div className={classes['view']}>
      <Menu.Item fw={isCurrent ? 600 : 400} aria-current={isCurrent ? 'true' : undefined} onClick={onOpen}>
        {view.name}
      </Menu.Item>
      {view.shared && !mayShare ? null : (
        <Menu.Item
          aria-label={texts.remove(view.name)}
          className={classes['remove'] ?? ''}
          onClick={() => void remove.run(view)}
        >
          <Trash2 size={14} aria-hidden />
        </Menu.Item>
      )}
    </div>
  )
}

// Announcements as administrators of the server see them: also those that are scheduled or have ended.
import { announcements } from '@bowline/contract/operations/announcements'
import type { ManagedAnnouncement } from '@bowline/contract/schemas/announcement'
import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import { Lock, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { usePerson, useRuntime } from '../../../core/context.tsx'
import { useAction } from '../../../core/use-action.ts'
import { Confirm } from '../../../ui/feedback/confirm.tsx'
import { EmptyState } from '../../../ui/feedback/empty-state.tsx'
import { IconButton } from '../../../ui/controls/icon-button.tsx'
import { Badge, Button, Text } from '../../../ui/kit.ts'
import type { Column } from '../../../ui/list/data-table.tsx'
import { PagedTable } from '../../../ui/list/paged-table.tsx'
import { Page } from '../../../ui/page/page.tsx'
import { formatMoment } from '../../../ui/text/numbers.ts'
import { ANNOUNCEMENTS, ANNOUNCEMENTS_PER_PAGE, managedQuery } from '../queries.ts'
import { AnnouncementDialog } from './announcement-dialog.tsx'
import { manageMessages as texts } from './messages.ts'

const route = getRouteApi('/app/instance/announcements')

const COLUMNS: readonly Column<ManagedAnnouncement>[] = [
  { id: 'title', header: texts.columns.title, cell: ({ title }) => title },
  {
    id: 'state',
    header: texts.columns.state,
    width: '8rem',
    cell: ({ state }) => <Badge variant="default">{texts.states[state]}</Badge>,
  },
  { id: 'from', header: texts.columns.from, cell: ({ date }) => formatMoment(date) },
  {
    id: 'until',
    header: texts.columns.until,
    cell: ({ ends_at: end }) => (end === null ? texts.noEnd : formatMoment(end)),
  },
]

export function ManageAnnouncementsPage() {
  const may = usePerson()?.instance_admin === true
  const [edited, setEdited] = useState<ManagedAnnouncement | 'new'>()
  if (!may) {
    return (
      <Page title={texts.title}>
        <EmptyState icon={<Lock size={24} />} title={texts.noAccess} text={texts.noAccessText} />
      </Page>
    )
  }
  return (
    <Page
      title={texts.title}
      actions={
        <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setEdited('new')}>
          {texts.create}
        </Button>
      }
    >
      <List onEdit={setEdited} />
      <AnnouncementDialog edited={edited} onClose={() => setEdited(undefined)} />
    </Page>
  )
}

function List({ onEdit }: { readonly onEdit: (announcement: ManagedAnnouncement) => void }) {
  const { page } = route.useSearch()
  const { api } = useRuntime()
  const navigate = useNavigate()
  const [removing, setRemoving] = useState<ManagedAnnouncement>()
  const remove = useAction({
    call: ({ uuid }: ManagedAnnouncement) => api.call(announcements.remove, { params: { uuid } }),
    done: ({ title }) => texts.removed(title),
    failed: texts.removeFailed,
    invalidates: [ANNOUNCEMENTS],
  })
  return (
    <>
      <PagedTable
        label={texts.table}
        list={useQuery(managedQuery(api, page))}
        failed={texts.loadFailed}
        columns={COLUMNS}
        rowKey={({ uuid }) => uuid}
        renderActions={(announcement) => (
          <>
            <IconButton
              data-tip={texts.edit(announcement.title)}
              aria-label={texts.edit(announcement.title)}
              onClick={() => onEdit(announcement)}
            >
              <Pencil size={15} aria-hidden />
            </IconButton>
            <IconButton
              data-tip={texts.removeNamed(announcement.title)}
              aria-label={texts.removeNamed(announcement.title)}
              onClick={() => setRemoving(announcement)}
            >
              <Trash2 size={15} aria-hidden />
            </IconButton>
          </>
        )}
        page={page}
        perPage={ANNOUNCEMENTS_PER_PAGE}
        onPageGone={(last) => void navigate({ to: '/instance/announcements', search: { page: last }, replace: true })}
        renderPageLink={(target, children, label, className) => (
          <Link to="/instance/announcements" search={{ page: target }} aria-label={label} className={className}>
            {children}
          </Link>
        )}
        empty={<Text size="sm">{texts.empty}</Text>}
      />
      <Confirm
        opened={removing !== undefined}
        title={removing ? texts.removeTitle(removing.title) : ''}
        action={texts.remove}
        onClose={() => setRemoving(undefined)}
        onConfirm={() => removing && void remove.run(removing)}
      >
        <Text size="sm">{texts.removeText}</Text>
      </Confirm>
    </>
  )
}

// Every device on which a change failed: page by page, of one cause or all, and as a file.
import type { DeviceJob, DeviceJobFailure } from '@bowline/contract/operations/fleet/device-jobs'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useRuntime } from '../../../core/context.tsx'
import { useListExport } from '../../../core/use-list-export.ts'
import { serverText } from '../../../platform/language/server-text.ts'
import { ExportButtons } from '../../../ui/controls/export-buttons.tsx'
import { Button, Group, NativeSelect, Stack, UnstyledButton } from '../../../ui/kit.ts'
import type { Column } from '../../../ui/list/data-table.tsx'
import { PagedTable } from '../../../ui/list/paged-table.tsx'
import { uiMessages } from '../../../ui/messages.ts'
import { formatCount } from '../../../ui/text/numbers.ts'
import { jobMessages } from './messages.ts'
import { FAILURES_PER_PAGE, type FailureCause, failuresQuery, openFailures } from './queries.ts'

const texts = jobMessages.allFailures

interface FailureListProps {
  readonly job: DeviceJob
  readonly cause: FailureCause
  readonly onChoose: (cause: FailureCause) => void
  readonly onBack: () => void
  /** Another page opens. */
  readonly onLeave: () => void
}

export function FailureList({ job, cause, onChoose, onBack, onLeave }: FailureListProps) {
  const { api } = useRuntime()
  const [page, setPage] = useState(1)
  const list = useQuery(failuresQuery(api, job, cause, page))
  const save = useListExport({
    name: 'failures',
    open: (format) => openFailures(api, job.id, cause, format),
    failed: texts.exportFailed,
  })
  const place = job.failures.findIndex(({ code, message }) => code === cause?.code && message === cause.message)
  return (
    <Stack gap="sm">
      <NativeSelect
        label={texts.cause}
        value={String(place)}
        data={[
          { value: '-1', label: texts.every(formatCount(job.failed)) },
          ...job.failures.map(({ message, count }, index) => ({
            value: String(index),
            label: texts.one(serverText(message), formatCount(count)),
          })),
        ]}
        onChange={(event) => {
          setPage(1)
          onChoose(job.failures[Number(event.currentTarget.value)])
        }}
      />
      <PagedTable
        embedded
        label={texts.title}
        list={list}
        failed={texts.loadFailed}
        columns={columns(onLeave)}
        rowKey={({ uid }) => uid}
        page={page}
        perPage={FAILURES_PER_PAGE}
        onPageGone={setPage}
        renderPageLink={(to, children, label, className) => (
          <UnstyledButton aria-label={label} className={className} onClick={() => setPage(to)}>
            {children}
          </UnstyledButton>
        )}
        empty={texts.none}
      />
      <Group justify="space-between" gap="xs">
        <Button variant="default" onClick={onBack}>
          {texts.back}
        </Button>
        <ExportButtons names={uiMessages.displayMenu.exportAs} onExport={save} />
      </Group>
    </Stack>
  )
}

function columns(onLeave: () => void): readonly Column<DeviceJobFailure>[] {
  return [
    {
      id: 'device',
      header: texts.device,
      cell: ({ uid, name }) => (
        <Link to="/devices/$uid" params={{ uid }} onClick={onLeave}>
          {name}
        </Link>
      ),
    },
    { id: 'cause', header: texts.cause, cell: ({ message }) => serverText(message) },
  ]
}

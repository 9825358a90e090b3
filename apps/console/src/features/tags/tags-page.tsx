// The namespace's tags: where they are used, renaming and removing them everywhere.
import { tags as operations } from '@bowline/contract/operations/tags'
import { Tag } from '@bowline/contract/schemas/tag'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Pencil, Tags as TagsIcon, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod'
import { useMay, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { type Column, DataTable } from '../../ui/list/data-table.tsx'
import { Dialog, DialogForm } from '../../ui/feedback/dialog.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { GatedAction } from '../../ui/feedback/gated.tsx'
import { Stack, Text, TextInput } from '../../ui/kit.ts'
import { formatCount } from '../../ui/text/numbers.ts'
import { Page } from '../../ui/page/page.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { RulesCard } from './rules/rules-card.tsx'
import { tagsMessages as texts } from './messages.ts'
import { taggedDevicesQuery, tagsQuery } from './queries.ts'
import cells from '../../ui/list/cells.module.css'
import classes from './tags.module.css'

const COLUMNS: readonly Column<string>[] = [
  {
    id: 'tag',
    header: texts.columns.tag,
    cell: (tag) => (
      <Link to="/devices" search={{ tag: [tag] }} title={texts.devicesWith(tag)} className={cells['primary']}>
        {tag}
      </Link>
    ),
  },
  { id: 'devices', header: texts.columns.devices, cell: (tag) => <DeviceCount tag={tag} />, width: '10rem' },
]

/** Devices, keys and rules hold tags too: every query is refetched. */
const EVERYTHING = [[]]

/** Number of accepted devices with a tag: the same as in the list that the tag links to. */
function DeviceCount({ tag }: { readonly tag: string }) {
  const { api } = useRuntime()
  const { data } = useQuery(taggedDevicesQuery(api, tag))
  return <span className={cells['number']}>{data === undefined ? '' : formatCount(data)}</span>
}

export function TagsPage() {
  const { api } = useRuntime()
  const list = useQuery(tagsQuery(api))
  const mayRename = useMay('deviceTagRename')
  const mayRemove = useMay('deviceTagDelete')
  const [renaming, setRenaming] = useState<string>()
  const [removing, setRemoving] = useState<string>()
  const remove = useAction({
    call: (tag: string) => api.call(operations.remove, { params: { tag } }),
    done: (tag) => texts.removed(tag),
    failed: (tag) => texts.removeFailed(tag),
    invalidates: EVERYTHING,
  })
  return (
    <Page title={texts.title}>
      <p className={classes['intro']}>{texts.intro}</p>
      {list.isError ? <ErrorPanel title={texts.loadFailed} error={list.error} onRetry={() => list.refetch()} /> : null}
      {list.isError && !list.data ? null : (
        <DataTable
          label={texts.tableLabel}
          columns={COLUMNS}
          rows={list.data}
          rowKey={(tag) => tag}
          renderActions={(tag) => (
            <>
              <GatedAction
                may={mayRename}
                why={texts.roleTooLow}
                label={texts.renameNamed(tag)}
                hint={texts.rename}
                onClick={() => setRenaming(tag)}
              >
                <Pencil size={15} aria-hidden />
              </GatedAction>
              <GatedAction
                may={mayRemove}
                why={texts.roleTooLow}
                label={texts.removeNamed(tag)}
                hint={texts.remove}
                onClick={() => setRemoving(tag)}
              >
                <Trash2 size={15} aria-hidden />
              </GatedAction>
            </>
          )}
          empty={
            <EmptyState icon={<TagsIcon size={24} />} title={texts.empty} text={texts.emptyText}>
              <Link to="/devices">{texts.toDevices}</Link>
            </EmptyState>
          }
        />
      )}
      <Stack mt="xl">
        <RulesCard />
      </Stack>
      <Dialog
        opened={renaming !== undefined}
        onClose={() => setRenaming(undefined)}
        title={texts.renameTitle(renaming ?? '')}
      >
        {renaming === undefined ? null : <RenameTag tag={renaming} onDone={() => setRenaming(undefined)} />}
      </Dialog>
      <Confirm
        opened={removing !== undefined}
        title={texts.removeTitle(removing ?? '')}
        action={texts.remove}
        onClose={() => setRemoving(undefined)}
        onConfirm={() => removing !== undefined && void remove.run(removing)}
      >
        <Text size="sm">{texts.removeText}</Text>
      </Confirm>
    </Page>
  )
}

const Fields = z.object({ tag: Tag })

function RenameTag({ tag, onDone }: { readonly tag: string; readonly onDone: () => void }) {
  const { api } = useRuntime()
  const put = (from: string, to: string) => api.call(operations.rename, { params: { tag: from }, body: { tag: to } })
  const rename = useAction({
    call: (to: string) => put(tag, to),
    done: (to) => texts.renamed(tag, to),
    undo: (to) => put(to, tag),
    invalidates: EVERYTHING,
  })
  const form = useContractForm({
    schema: Fields,
    values: { tag },
    labels: texts.labels,
    async send({ tag: to }) {
      if (to !== tag) await rename.send(to)
      onDone()
    },
  })
  return (
    <DialogForm form={form} failed={texts.renameFailed} submit={texts.rename} onCancel={onDone}>
      <Text size="sm">{texts.renameText}</Text>
      <TextInput
        {...form.field('tag')}
        description={texts.nameHint}
        data-autofocus
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
    </DialogForm>
  )
}

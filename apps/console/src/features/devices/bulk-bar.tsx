// What can be done with the selected devices at once. Failures are told together, and only they are tried again.
import { devices as operations } from '@bowline/contract/operations/devices'
import type { Device } from '@bowline/contract/schemas/device'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useMay, useRuntime } from '../../app/context.tsx'
import { keys } from '../../live/apply-events.ts'
import { fanOut } from '../../session/fan-out.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { describeError } from '../../ui/describe-error.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Button, Group, Stack, Text } from '../../ui/kit.ts'
import { uiMessages } from '../../ui/messages.ts'
import { notifyDone, notifyFailure } from '../../ui/notify.tsx'
import { TagsField } from '../tags/tags-field.tsx'
import { devicesMessages } from './messages.ts'
import classes from './bulk-bar.module.css'

const texts = devicesMessages.bulk

interface BulkBarProps {
  readonly selected: readonly Device[]
  /** Nothing is selected any more. */
  readonly onClear: () => void
}

interface Deed {
  /** "Accepted 3 devices." */
  readonly done: (count: number) => string
  readonly work: (device: Device) => Promise<unknown>
  /** Takes it back for those for which it worked. */
  readonly undo?: (device: Device) => Promise<unknown>
}

export function BulkBar({ selected, onClear }: BulkBarProps) {
  const { api } = useRuntime()
  const queryClient = useQueryClient()
  const mayAccept = useMay('deviceAccept')
  const mayReject = useMay('deviceReject')
  const mayRemove = useMay('deviceRemove')
  const mayTag = useMay('deviceTagUpdate')
  const [progress, setProgress] = useState<number>()
  const [asked, setAsked] = useState<'remove' | 'tag'>()
  const status = selected[0]?.status
  if (selected.length === 0) return null

  const reload = () => {
    for (const queryKey of [keys.devices, keys.containers, keys.stats, keys.tags]) {
      void queryClient.invalidateQueries({ queryKey })
    }
  }
  const perform = async (devices: readonly Device[], deed: Deed): Promise<void> => {
    setProgress(0)
    const failed = await fanOut(devices, deed.work, setProgress)
    setProgress(undefined)
    reload()
    const worked = devices.filter((device) => !failed.some(({ item }) => item === device))
    const { undo } = deed
    if (worked.length) {
      const onUndo = undo && (() => fanOut(worked, undo).then(reload))
      notifyDone({ title: deed.done(worked.length), ...(onUndo ? { onUndo } : {}) })
    }
    if (failed.length === 0) {
      onClear()
      return
    }
    const causes = failed.map(({ item, error }) => `${item.name}: ${describeError(error).cause}`).join(' ')
    notifyFailure({
      title: texts.failed(failed.length, devices.length),
      error: new Error(causes),
      onRetry: () =>
        void perform(
          failed.map(({ item }) => item),
          deed,
        ),
    })
  }
  const setStatus = (word: 'accept' | 'reject' | 'pending') => (device: Device) =>
    api.call(operations.setStatus, { params: { uid: device.uid, status: word } })
  const setTags = (tagsOf: (device: Device) => readonly string[]) => (device: Device) =>
    api.call(operations.setTags, { params: { uid: device.uid }, body: { tags: [...tagsOf(device)] } })
  const remove = (device: Device) => api.call(operations.remove, { params: { uid: device.uid } })
  const busy = progress !== undefined
  return (
    <section aria-label={texts.label} className={classes['bar']}>
      <Text size="sm" fw={550}>
        {busy ? texts.progress(progress, selected.length) : texts.selected(selected.length)}
      </Text>
      <Group gap="xs">
        {status === 'pending' || status === 'rejected' ? (
          <Button
            size="compact-sm"
            disabled={!mayAccept || busy}
            onClick={() => void perform(selected, { done: texts.accepted, work: setStatus('accept') })}
          >
            {devicesMessages.accept}
          </Button>
        ) : null}
        {status === 'pending' ? (
          <Button
            size="compact-sm"
            variant="default"
            disabled={!mayReject || busy}
            onClick={() =>
              void perform(selected, { done: texts.rejected, work: setStatus('reject'), undo: setStatus('pending') })
            }
          >
            {devicesMessages.reject}
          </Button>
        ) : null}
        {status === 'accepted' ? (
          <Button size="compact-sm" variant="default" disabled={!mayTag || busy} onClick={() => setAsked('tag')}>
            {texts.tag}
          </Button>
        ) : null}
        {status === 'pending' || status === 'removed' ? null : (
          <Button size="compact-sm" variant="default" disabled={!mayRemove || busy} onClick={() => setAsked('remove')}>
            {devicesMessages.remove}
          </Button>
        )}
        <Button size="compact-sm" variant="subtle" disabled={busy} onClick={onClear}>
          {texts.clear}
        </Button>
      </Group>
      <Confirm
        opened={asked === 'remove'}
        title={texts.removeTitle(selected.length)}
        action={devicesMessages.remove}
        onClose={() => setAsked(undefined)}
        onConfirm={() => void perform(selected, { done: texts.removed, work: remove })}
      >
        <Text size="sm">{devicesMessages.removeText}</Text>
      </Confirm>
      <Dialog opened={asked === 'tag'} onClose={() => setAsked(undefined)} title={texts.tagTitle(selected.length)}>
        <AddTags
          onCancel={() => setAsked(undefined)}
          onTags={(added) => {
            setAsked(undefined)
            const union = (device: Device) => [...new Set([...device.tags, ...added])]
            void perform(selected, { done: texts.tagged, work: setTags(union), undo: setTags(({ tags }) => tags) })
          }}
        />
      </Dialog>
    </section>
  )
}

interface AddTagsProps {
  readonly onTags: (tags: readonly string[]) => void
  readonly onCancel: () => void
}

function AddTags({ onTags, onCancel }: AddTagsProps) {
  const [tags, setTags] = useState<readonly string[]>([])
  return (
    <Stack gap="md">
      <Text size="sm">{texts.tagText}</Text>
      <TagsField tags={tags} onChange={setTags} focusFirst />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onCancel}>
          {uiMessages.cancel}
        </Button>
        <Button disabled={tags.length === 0} onClick={() => onTags(tags)}>
          {texts.tag}
        </Button>
      </Group>
    </Stack>
  )
}

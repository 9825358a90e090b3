// Actions on all selected devices. Failures are reported together, and a retry covers only them.
import { devices as operations } from '@bowline/contract/operations/devices'
import type { Device } from '@bowline/contract/schemas/device'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay, useRuntime } from '../../../core/context.tsx'
import { keys } from '../../../live/apply-events.ts'
import { fanOut } from '../../../platform/fan-out.ts'
import { Confirm } from '../../../ui/feedback/confirm.tsx'
import { describeError } from '../../../ui/feedback/describe-error.ts'
import { Dialog } from '../../../ui/feedback/dialog.tsx'
import { GatedButton } from '../../../ui/feedback/gated.tsx'
import { Button, Group, Text } from '../../../ui/kit.ts'
import { notifyDone, notifyFailure } from '../../../ui/feedback/notify.tsx'
import { bulkMessages as texts } from './bulk-messages.ts'
import { ChooseTags } from './choose-tags.tsx'
import { devicesMessages } from '../messages.ts'
import classes from './bulk-bar.module.css'
import { pageFile } from '../../../platform/page-files.ts'

const loadWorkspace = pageFile(() => import('../../terminal/workspace.ts'))

interface BulkBarProps {
  readonly selected: readonly Device[]
  /** Clears the selection. */
  readonly onClear: () => void
}

interface BulkAction {
  /** "Accepted 3 devices." */
  readonly done: (count: number) => string
  readonly work: (device: Device) => Promise<unknown>
  /** Undoes it for the devices on which it succeeded. */
  readonly undo?: (device: Device) => Promise<unknown>
}

export function BulkBar({ selected, onClear }: BulkBarProps) {
  const runtime = useRuntime()
  const { api } = runtime
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const mayAccept = useMay('deviceAccept')
  const mayReject = useMay('deviceReject')
  const mayRemove = useMay('deviceRemove')
  const mayTag = useMay('deviceTagUpdate')
  const [progress, setProgress] = useState<number>()
  const [asked, setAsked] = useState<'remove' | 'tag' | 'untag'>()
  const status = selected[0]?.status
  /** Their keys must be compared one by one. */
  const replacing = selected.some(({ replaces }) => replaces)
  if (selected.length === 0) return null

  const reload = () => {
    for (const queryKey of [keys.devices, keys.containers, keys.stats, keys.tags]) {
      void queryClient.invalidateQueries({ queryKey })
    }
  }
  const perform = async (devices: readonly Device[], action: BulkAction): Promise<void> => {
    setProgress(0)
    const failed = await fanOut(devices, action.work, setProgress)
    setProgress(undefined)
    reload()
    const worked = devices.filter((device) => !failed.some(({ item }) => item === device))
    const { undo } = action
    if (worked.length) {
      const onUndo = undo && (() => fanOut(worked, undo).then(reload))
      notifyDone({ title: action.done(worked.length), ...(onUndo ? { onUndo } : {}) })
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
          action,
        ),
    })
  }
  const setStatus = (word: 'accept' | 'reject' | 'pending') => (device: Device) =>
    api.call(operations.setStatus, { params: { uid: device.uid, status: word } })
  const setTags = (tagsOf: (device: Device) => readonly string[]) => (device: Device) =>
    api.call(operations.setTags, { params: { uid: device.uid }, body: { tags: [...tagsOf(device)] } })
  const retag = (done: BulkAction['done'], tagsOf: (device: Device) => readonly string[]) => {
    setAsked(undefined)
    void perform(selected, { done, work: setTags(tagsOf), undo: setTags(({ tags }) => tags) })
  }
  const remove = (device: Device) => api.call(operations.remove, { params: { uid: device.uid } })
  const busy = progress !== undefined
  const online = selected.filter((device) => device.online)
  const connect = async (devices: readonly Device[]) => {
    const { workspaceOf } = await loadWorkspace()
    for (const device of devices) workspaceOf(runtime).open(device)
    void navigate({ to: '/terminal' })
  }
  return (
    <section aria-label={texts.label} className={classes['bar']}>
      <Text size="sm" fw={550}>
        {busy ? texts.progress(progress, selected.length) : texts.selected(selected.length)}
      </Text>
      <Group gap="xs">
        {status === 'pending' || status === 'rejected' ? (
          <ActionButton
            busy={busy}
            may={mayAccept && !replacing}
            {...(replacing ? { why: texts.replacing } : {})}
            variant="filled"
            onClick={() => void perform(selected, { done: texts.accepted, work: setStatus('accept') })}
          >
            {devicesMessages.accept}
          </ActionButton>
        ) : null}
        {status === 'pending' ? (
          <ActionButton
            busy={busy}
            may={mayReject}
            onClick={() =>
              void perform(selected, { done: texts.rejected, work: setStatus('reject'), undo: setStatus('pending') })
            }
          >
            {devicesMessages.reject}
          </ActionButton>
        ) : null}
        {status === 'accepted' ? (
          <>
            <Button size="compact-sm" disabled={online.length === 0 || busy} onClick={() => void connect(online)}>
              {texts.connect}
            </Button>
            <ActionButton busy={busy} may={mayTag} onClick={() => setAsked('tag')}>
              {texts.tag}
            </ActionButton>
          </>
        ) : null}
        {status === 'accepted' && selected.some(({ tags }) => tags.length > 0) ? (
          <ActionButton busy={busy} may={mayTag} onClick={() => setAsked('untag')}>
            {texts.untag}
          </ActionButton>
        ) : null}
        {status === 'pending' || status === 'removed' ? null : (
          <ActionButton busy={busy} may={mayRemove} onClick={() => setAsked('remove')}>
            {devicesMessages.remove}
          </ActionButton>
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
        <ChooseTags
          text={texts.tagText}
          action={texts.tag}
          onCancel={() => setAsked(undefined)}
          onTags={(added) => retag(texts.tagged, ({ tags }) => [...new Set([...tags, ...added])])}
        />
      </Dialog>
      <Dialog opened={asked === 'untag'} onClose={() => setAsked(undefined)} title={texts.untagTitle(selected.length)}>
        <ChooseTags
          text={texts.untagText}
          action={texts.untag}
          onCancel={() => setAsked(undefined)}
          onTags={(taken) => retag(texts.untagged, ({ tags }) => tags.filter((tag) => !taken.includes(tag)))}
        />
      </Dialog>
    </section>
  )
}

interface ActionButtonProps {
  readonly may: boolean
  /** The reason it is disabled, when it is not the role. */
  readonly why?: string
  readonly busy: boolean
  readonly variant?: 'default' | 'filled'
  readonly onClick: () => void
  readonly children: string
}

function ActionButton({ busy, variant = 'default', why = devicesMessages.roleTooLow, ...button }: ActionButtonProps) {
  return <GatedButton size="compact-sm" variant={variant} why={why} disabled={busy} {...button} />
}

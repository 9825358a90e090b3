// Buttons that act on all selected devices.
import type { Device } from '@bowline/contract/schemas/device'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay, useRuntime } from '../../../core/context.tsx'
import { Confirm } from '../../../ui/feedback/confirm.tsx'
import { Dialog } from '../../../ui/feedback/dialog.tsx'
import { GatedButton } from '../../../ui/feedback/gated.tsx'
import { Button, Group, Text } from '../../../ui/kit.ts'
import { type BulkChange, useBulkActions } from './bulk-actions.ts'
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

export function BulkBar({ selected, onClear }: BulkBarProps) {
  const runtime = useRuntime()
  const navigate = useNavigate()
  const mayAccept = useMay('deviceAccept')
  const mayReject = useMay('deviceReject')
  const mayRemove = useMay('deviceRemove')
  const mayTag = useMay('deviceTagUpdate')
  const { perform, progress } = useBulkActions(onClear)
  const [asked, setAsked] = useState<'remove' | 'tag' | 'untag'>()
  const status = selected[0]?.status
  /** Their keys must be compared one by one. */
  const replacing = selected.some(({ replaces }) => replaces)
  if (selected.length === 0) return null

  const start = (change: BulkChange) => {
    setAsked(undefined)
    void perform(selected, change)
  }
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
            onClick={() => start({ kind: 'accept' })}
          >
            {devicesMessages.accept}
          </ActionButton>
        ) : null}
        {status === 'pending' ? (
          <ActionButton busy={busy} may={mayReject} onClick={() => start({ kind: 'reject' })}>
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
        onConfirm={() => start({ kind: 'remove' })}
      >
        <Text size="sm">{devicesMessages.removeText}</Text>
      </Confirm>
      <Dialog opened={asked === 'tag'} onClose={() => setAsked(undefined)} title={texts.tagTitle(selected.length)}>
        <ChooseTags
          text={texts.tagText}
          action={texts.tag}
          onCancel={() => setAsked(undefined)}
          onTags={(tags) => start({ kind: 'tag', tags })}
        />
      </Dialog>
      <Dialog opened={asked === 'untag'} onClose={() => setAsked(undefined)} title={texts.untagTitle(selected.length)}>
        <ChooseTags
          text={texts.untagText}
          action={texts.untag}
          onCancel={() => setAsked(undefined)}
          onTags={(tags) => start({ kind: 'untag', tags })}
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

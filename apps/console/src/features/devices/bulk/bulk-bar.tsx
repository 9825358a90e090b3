// Buttons that act on all selected devices.
import type { Device } from '@bowline/contract/schemas/device'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay, useRuntime } from '../../../core/context.tsx'
import { grace } from '../../../core/grace.ts'
import { Confirm } from '../../../ui/feedback/confirm.tsx'
import { Dialog } from '../../../ui/feedback/dialog.tsx'
import { GatedButton } from '../../../ui/feedback/gated.tsx'
import { Button, Group, Text } from '../../../ui/kit.ts'
import { type BulkChange, useBulkActions } from './bulk-actions.ts'
import { bulkMessages as texts } from './bulk-messages.ts'
import { ChooseTags } from './choose-tags.tsx'
import { RemoveDevices } from './remove-devices.tsx'
import { RunCommandButton } from './run-command-button.tsx'
import { useStartJob } from './use-start-job.ts'
import type { DeviceKind } from '../../../core/devices/queries.ts'
import { compareNames, formatCount } from '../../../ui/text/numbers.ts'
import { commandsMessages } from '../../commands/messages.ts'
import type { DevicesSearch } from '../search.ts'
import { devicesMessages } from '../messages.ts'
import classes from './bulk-bar.module.css'
import { pageFile } from '../../../platform/page-files.ts'

/** Terminals that one sign-in opens: more is not looked at. */
const MAX_TERMINALS = 20

const loadWorkspace = pageFile(() => import('../../terminal/workspace.ts'))

interface BulkBarProps {
  readonly kind: DeviceKind
  readonly search: DevicesSearch
  readonly selected: readonly Device[]
  /** Rows on the page, and devices that match. */
  readonly shown: number
  readonly total: number
  /** Tags to add are being chosen, which a key of the list asks for too. */
  readonly tagging: boolean
  readonly onTagging: (isOpen: boolean) => void
  /** Clears the selection. */
  readonly onClear: () => void
}

export function BulkBar({ kind, search, selected, shown, total, ...props }: BulkBarProps) {
  const { tagging, onTagging } = props
  const runtime = useRuntime()
  const navigate = useNavigate()
  const mayAccept = useMay('deviceAccept')
  const mayReject = useMay('deviceAccept')
  const mayRemove = useMay('deviceRemove')
  const mayTag = useMay('deviceTagUpdate')
  const [wantsAll, setWantsAll] = useState(false)
  const onClear = () => {
    // The next page that is selected stands for itself.
    setWantsAll(false)
    props.onClear()
  }
  const { perform, progress } = useBulkActions(onClear)
  const job = useStartJob(kind, search, onClear)
  const [asked, setAsked] = useState<BulkChange['kind']>()
  // A page that is no longer selected as a whole does not stand for all that match.
  const isWhole = selected.length === shown && total > shown
  const all = wantsAll && isWhole
  const count = all ? total : selected.length
  const status = selected[0]?.status
  /** Their keys must be compared one by one. */
  const replacing = !all && selected.some(({ replaces }) => replaces)
  if (selected.length === 0) return null

  const start = (change: BulkChange) => {
    setAsked(undefined)
    onTagging(false)
    if (all) void startForAll(change)
    else void perform(selected, change)
  }
  const startForAll = async (change: BulkChange) => {
    if (change.kind === 'remove') onClear()
    if (change.kind === 'remove' && !(await grace(texts.removing(total), [`all ${kind}`]))) return
    await job.run(change)
  }
  /** Thousands of devices are not decided about by one click. */
  const decide = (action: 'accept' | 'reject') => (all ? setAsked(action) : start({ kind: action }))
  const busy = progress !== undefined || job.isPending
  const online = selected.filter((device) => device.online)
  /** Nothing can be opened or run on them. */
  const isAway = !all && status === 'accepted' && online.length === 0
  const connect = async () => {
    const [only, ...more] = selected
    // As the button of a single device does, which signs in by a key of this browser.
    if (only && more.length === 0) return navigate({ to: '/terminal', search: { device: only.uid } })
    const { workspaceOf } = await loadWorkspace()
    workspaceOf(runtime).wanted.set(selected.toSorted(byName))
    return navigate({ to: '/terminal' })
  }
  return (
    <section aria-label={texts.label} className={classes['bar']} data-below-list>
      <Text size="sm" fw={550}>
        {progress !== undefined
          ? texts.progress(progress, selected.length)
          : all
            ? texts.allSelected(formatCount(total))
            : texts.selected(selected.length)}
        {isAway && progress === undefined ? (
          <Text span inherit fw={400} c="dimmed" ml="xs">
            {commandsMessages.noneOnline}
          </Text>
        ) : null}
      </Text>
      {isWhole && !all && !busy ? (
        <Button size="compact-sm" variant="subtle" onClick={() => setWantsAll(true)}>
          {texts.selectAllMatching(formatCount(total))}
        </Button>
      ) : null}
      <Group gap="xs">
        {status === 'pending' || status === 'rejected' ? (
          <ActionButton
            busy={busy}
            may={mayAccept && !replacing}
            {...(replacing ? { why: texts.replacing } : {})}
            variant="filled"
            onClick={() => decide('accept')}
          >
            {devicesMessages.accept}
          </ActionButton>
        ) : null}
        {status === 'pending' ? (
          <ActionButton busy={busy} may={mayReject} onClick={() => decide('reject')}>
            {devicesMessages.reject}
          </ActionButton>
        ) : null}
        {status === 'accepted' ? (
          <>
            {all ? null : (
              <GatedButton
                size="compact-sm"
                may={!isAway && online.length <= MAX_TERMINALS}
                why={isAway ? commandsMessages.noneOnline : texts.connectAtMost(MAX_TERMINALS)}
                disabled={busy}
                onClick={() => void connect()}
              >
                {texts.connect}
              </GatedButton>
            )}
            <RunCommandButton
              kind={kind}
              search={search}
              selected={all ? undefined : selected}
              total={count}
              busy={busy}
            />
            <ActionButton busy={busy} may={mayTag} onClick={() => onTagging(true)}>
              {texts.tag}
            </ActionButton>
          </>
        ) : null}
        {status === 'accepted' && (all || selected.some(({ tags }) => tags.length > 0)) ? (
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
      <RemoveDevices
        opened={asked === 'remove'}
        count={count}
        all={all}
        onClose={() => setAsked(undefined)}
        onConfirm={() => start({ kind: 'remove' })}
      />
      {asked === 'accept' || asked === 'reject' ? (
        <Confirm
          opened
          title={texts.decideTitles[asked](count)}
          action={devicesMessages[asked]}
          onClose={() => setAsked(undefined)}
          onConfirm={() => start({ kind: asked })}
        >
          <Text size="sm">{texts.decideTexts[asked]}</Text>
        </Confirm>
      ) : null}
      <Dialog opened={tagging} onClose={() => onTagging(false)} title={texts.tagTitle(count)}>
        <ChooseTags
          text={texts.tagText}
          action={texts.tag}
          refused={mayTag ? undefined : devicesMessages.roleTooLow}
          onCancel={() => onTagging(false)}
          onTags={(tags) => start({ kind: 'tag', tags })}
        />
      </Dialog>
      <Dialog opened={asked === 'untag'} onClose={() => setAsked(undefined)} title={texts.untagTitle(count)}>
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

/** The list may be in an order that changes, such as when devices were seen last. */
const byName = (a: Device, b: Device): number => compareNames(a.name, b.name)

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

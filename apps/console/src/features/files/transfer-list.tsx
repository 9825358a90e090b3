// Uploads and downloads with their progress.
import { CircleCheck, CircleX, Download, Upload, X } from 'lucide-react'
import { useStore } from '../../core/context.tsx'
import { IconButton } from '../../ui/controls/icon-button.tsx'
import { Button, VisuallyHidden } from '../../ui/kit.ts'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { formatBytes } from '../../ui/text/numbers.ts'
import { filesMessages } from './messages.ts'
import type { Transfer, Transfers } from './transfers.ts'
import classes from './files.module.css'

const texts = filesMessages.transfers
const ICONS = { upload: Upload, download: Download }

export function TransferList({ transfers }: { readonly transfers: Transfers }) {
  const list = useStore(transfers.list)
  if (list.length === 0) return null
  return (
    <SectionCard
      title={texts.title}
      actions={
        <Button variant="default" size="compact-sm" onClick={() => transfers.clear()}>
          {texts.clear}
        </Button>
      }
    >
      <ul className={classes['transfers']}>
        {list.toReversed().map((one) => (
          <li key={one.id} className={classes['transfer']}>
            <Line transfer={one} onCancel={() => transfers.cancel(one.id)} />
          </li>
        ))}
      </ul>
    </SectionCard>
  )
}

function Line({ transfer, onCancel }: { readonly transfer: Transfer; readonly onCancel: () => void }) {
  const { kind, name, total, done, state, error } = transfer
  const Icon = state === 'finished' ? CircleCheck : state === 'failed' || state === 'cancelled' ? CircleX : ICONS[kind]
  const isUnderWay = state === 'running' || state === 'waiting'
  return (
    <>
      <Icon size={16} aria-hidden className={classes['transferIcon']} data-state={state} />
      <VisuallyHidden>{texts[kind]}</VisuallyHidden>
      <span className={classes['transferName']}>{name}</span>
      {state === 'running' ? (
        <progress aria-label={texts.progress(name)} max={Math.max(total, done, 1)} value={done} />
      ) : null}
      <span className={classes['transferState']}>{stateText(transfer)}</span>
      {error === undefined ? null : <span className={classes['transferError']}>{error}</span>}
      {isUnderWay ? (
        <IconButton data-tip={texts.cancel} aria-label={texts.cancelOf(name)} onClick={onCancel}>
          <X size={15} aria-hidden />
        </IconButton>
      ) : null}
    </>
  )
}

function stateText({ state, done, total }: Transfer): string {
  switch (state) {
    case 'waiting':
      return texts.waiting
    case 'running':
      return texts.of(formatBytes(done), formatBytes(total))
    case 'finished':
      return `${texts.finished}, ${formatBytes(Math.max(done, total))}`
    case 'cancelled':
      return texts.cancelled
    case 'failed':
      return texts.failedShort
  }
}

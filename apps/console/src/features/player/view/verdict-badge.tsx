// Badge with the verification result of a recording.
import type { RecordingVerdict } from '@bowline/contract/schemas/session'
import { CircleDot, ShieldAlert, ShieldCheck } from 'lucide-react'
import { Badge } from '../../../ui/kit.ts'
import { playerMessages as texts } from '../messages.ts'
import classes from '../player.module.css'

interface VerdictBadgeProps {
  /** Undefined while it is being verified. */
  readonly verdict: RecordingVerdict | undefined
  readonly failed: boolean
}

export function VerdictBadge({ verdict, failed }: VerdictBadgeProps) {
  const { kind, label } = said(verdict, failed)
  const Icon = kind === 'good' ? ShieldCheck : kind === 'bad' ? ShieldAlert : CircleDot
  return (
    <Badge
      data-tip={verdict?.message}
      variant="default"
      className={classes['verdict'] ?? ''}
      data-kind={kind}
      leftSection={<Icon size={13} aria-hidden />}
      component="output"
    >
      {label}
    </Badge>
  )
}

function said(verdict: RecordingVerdict | undefined, failed: boolean): { kind: string; label: string } {
  if (!verdict) return { kind: 'none', label: failed ? texts.verdict.unknown : texts.verdict.checking }
  const { result, complete, bad_chunk } = verdict
  if (result === 'tampered') return { kind: 'bad', label: texts.verdict.tampered(bad_chunk) }
  if (result === 'missing') return { kind: 'bad', label: texts.verdict.missing }
  if (result === 'recording') return { kind: 'live', label: texts.verdict.recording }
  return complete ? { kind: 'good', label: texts.verdict.intact } : { kind: 'good', label: texts.verdict.early }
}

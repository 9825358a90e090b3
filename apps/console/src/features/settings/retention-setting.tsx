// Retention period of recordings.
import { RecordingRetentionDays } from '@bowline/contract/schemas/namespace'
import { useState } from 'react'
import { z } from 'zod'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { Text } from '../../ui/kit.ts'
import { formatCount } from '../../ui/text/numbers.ts'
import { SettingRow } from '../../ui/page/section-card.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { settingsMessages as texts } from './messages.ts'
import { NumberForm } from './number-form.tsx'
import type { SettingsProps } from './use-namespace-settings.ts'

const Fields = z.object({
  recording_retention_days: z
    .string()
    .trim()
    .regex(/^\d{1,9}$/, 'must be a whole number of days')
    .transform(Number)
    .pipe(RecordingRetentionDays),
})

/** Initialized from the stored value: pass a key that changes with it. */
export function RetentionSetting({ namespace, settings, may }: SettingsProps) {
  const stored = namespace.settings.recording_retention_days
  /** The number of days awaiting confirmation, because recordings will be deleted. */
  const [asked, setAsked] = useState<number>()
  const set = (days: number) => settings.set('recording_retention_days', days, texts.retention)
  const form = useContractForm({
    schema: Fields,
    values: { recording_retention_days: String(stored) },
    labels: texts.labels,
    async send({ recording_retention_days: days }) {
      const isShorter = days > 0 && (stored === 0 || days < stored)
      if (isShorter) setAsked(days)
      else await set(days)
    },
  })
  const isChanged = form.form.watch('recording_retention_days').trim() !== String(stored)
  return (
    <SettingRow label={texts.retention} hint={texts.retentionHint}>
      <NumberForm
        field={form.field('recording_retention_days')}
        unit={texts.days}
        isChanged={isChanged}
        disabled={!may}
        onSubmit={form.onSubmit}
      />
      <Confirm
        opened={asked !== undefined}
        title={texts.shorten}
        action={texts.shortenAction}
        onClose={() => setAsked(undefined)}
        onConfirm={() => void set(asked ?? stored)}
      >
        <Text size="sm">{texts.shortenText(formatCount(asked ?? stored))}</Text>
      </Confirm>
    </SettingRow>
  )
}

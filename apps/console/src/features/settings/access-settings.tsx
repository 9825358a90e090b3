// Settings of access requests.
import { AccessRequestHours } from '@bowline/contract/schemas/namespace'
import { roleMay } from '@bowline/contract/roles'
import { z } from 'zod'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { Switch, Text } from '../../ui/kit.ts'
import { SectionCard, SettingRow } from '../../ui/page/section-card.tsx'
import { settingsMessages as texts } from './messages.ts'
import { NumberForm } from './number-form.tsx'
import type { SettingsProps } from './use-namespace-settings.ts'

const Fields = z.object({
  access_request_hours: z
    .string()
    .trim()
    .regex(/^\d{1,9}$/, 'must be a whole number of hours')
    .transform(Number)
    .pipe(AccessRequestHours),
})

export function AccessSettings({ namespace, settings, may }: SettingsProps) {
  const { settings: current, members } = namespace
  const deciding = members.filter(({ role, status }) => status === 'accepted' && roleMay(role, 'firewallEdit'))
  return (
    <SectionCard id="access-requests" title={texts.access} text={texts.accessText}>
      <SettingRow label={texts.accessOn} hint={texts.accessOnHint}>
        <Switch
          aria-label={texts.accessOn}
          checked={current.access_requests}
          disabled={!may}
          onChange={(event) => void settings.set('access_requests', event.currentTarget.checked, texts.accessOn)}
        />
      </SettingRow>
      {current.access_requests && deciding.length < 2 ? (
        <Text size="sm" c="dimmed">
          {texts.accessAlone}
        </Text>
      ) : null}
      {current.access_requests ? (
        <Hours key={current.access_request_hours} namespace={namespace} settings={settings} may={may} />
      ) : null}
    </SectionCard>
  )
}

/** Initialized from the stored value: pass a key that changes with it. */
function Hours({ namespace, settings, may }: SettingsProps) {
  const stored = namespace.settings.access_request_hours
  const form = useContractForm({
    schema: Fields,
    values: { access_request_hours: String(stored) },
    labels: texts.labels,
    send: async ({ access_request_hours: hours }) => {
      await settings.set('access_request_hours', hours, texts.accessHours)
    },
  })
  const isChanged = form.form.watch('access_request_hours').trim() !== String(stored)
  return (
    <SettingRow label={texts.accessHours} hint={texts.accessHoursHint}>
      <NumberForm
        field={form.field('access_request_hours')}
        unit={texts.hours}
        isChanged={isChanged}
        disabled={!may}
        onSubmit={form.onSubmit}
      />
    </SettingRow>
  )
}

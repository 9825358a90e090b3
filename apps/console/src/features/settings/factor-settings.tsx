// Settings of the second factor on the ssh path, with the service keys that pass without one.
import { SshFactorHours } from '@bowline/contract/schemas/namespace'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { z } from 'zod'
import { useRuntime } from '../../core/context.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { Switch, Text } from '../../ui/kit.ts'
import { SectionCard, SettingRow } from '../../ui/page/section-card.tsx'
import { formatCount } from '../../ui/text/numbers.ts'
import { serviceKeysQuery } from '../public-keys/queries.ts'
import { settingsMessages as texts } from './messages.ts'
import { NumberForm } from './number-form.tsx'
import type { SettingsProps } from './use-namespace-settings.ts'

const Fields = z.object({
  ssh_second_factor_hours: z
    .string()
    .trim()
    .regex(/^\d{1,9}$/, 'must be a whole number of hours')
    .transform(Number)
    .pipe(SshFactorHours),
})
const SERVICE_KEYS = 'ssh_second_factor_service_keys'

export function FactorSettings({ namespace, settings, may }: SettingsProps) {
  const { settings: current } = namespace
  return (
    <SectionCard id="second-factor" title={texts.factor} text={texts.factorText}>
      <SettingRow label={texts.factorOn} hint={texts.factorOnHint}>
        <Switch
          aria-label={texts.factorOn}
          checked={current.ssh_second_factor}
          disabled={!may}
          onChange={(event) => void settings.set('ssh_second_factor', event.currentTarget.checked, texts.factorOn)}
        />
      </SettingRow>
      {current.ssh_second_factor ? (
        <>
          <Hours key={current.ssh_second_factor_hours} namespace={namespace} settings={settings} may={may} />
          <SettingRow label={texts.factorServices} hint={texts.factorServicesHint}>
            <Switch
              aria-label={texts.factorServices}
              checked={current[SERVICE_KEYS]}
              disabled={!may}
              onChange={(event) => void settings.set(SERVICE_KEYS, event.currentTarget.checked, texts.factorServices)}
            />
          </SettingRow>
          {current[SERVICE_KEYS] ? <ServiceKeys /> : null}
        </>
      ) : null}
    </SectionCard>
  )
}

/** Initialized from the stored value: pass a key that changes with it. */
function Hours({ namespace, settings, may }: SettingsProps) {
  const stored = namespace.settings.ssh_second_factor_hours
  const form = useContractForm({
    schema: Fields,
    values: { ssh_second_factor_hours: String(stored) },
    labels: texts.labels,
    send: async ({ ssh_second_factor_hours: hours }) => {
      await settings.set('ssh_second_factor_hours', hours, texts.factorHours)
    },
  })
  const isChanged = form.form.watch('ssh_second_factor_hours').trim() !== String(stored)
  return (
    <SettingRow label={texts.factorHours} hint={texts.factorHoursHint}>
      <NumberForm
        field={form.field('ssh_second_factor_hours')}
        unit={texts.hours}
        isChanged={isChanged}
        disabled={!may}
        onSubmit={form.onSubmit}
      />
    </SettingRow>
  )
}

function ServiceKeys() {
  const { api } = useRuntime()
  const { data } = useQuery(serviceKeysQuery(api))
  if (!data) return null
  const names = data.items.map(({ name }) => name).join(', ')
  const more = data.total - data.items.length
  return (
    <Text size="sm">
      {data.total === 0 ? texts.noServiceKeys : texts.serviceKeys(names, more > 0 ? formatCount(more) : '')}{' '}
      <Link to="/public-keys">{texts.allKeys}</Link>
    </Text>
  )
}

// Session settings: recording, forwarding, and the effect of policy changes on running sessions.
import { NativeSelect, Switch } from '../../ui/kit.ts'
import { SectionCard, SettingRow } from '../../ui/page/section-card.tsx'
import { settingsMessages as texts } from './messages.ts'
import { RetentionSetting } from './retention-setting.tsx'
import type { SettingsProps } from './use-namespace-settings.ts'

const UNRECORDED = {
  name: 'forwarding_unrecorded',
  label: texts.forwardingUnrecorded,
  hint: texts.forwardingUnrecordedHint,
} as const
const SWITCHES = [
  { name: 'forwarding', label: texts.forwarding, hint: texts.forwardingHint },
  { name: 'joining', label: texts.joining, hint: texts.joiningHint },
  { name: 'end_disallowed_sessions', label: texts.endDisallowed, hint: texts.endDisallowedHint },
] as const

export function SessionSettings({ namespace, settings, may }: SettingsProps) {
  const { settings: current } = namespace
  const isRequired = current.session_record && current.recording_policy === 'required'
  const switches = isRequired && current.forwarding ? [UNRECORDED, ...SWITCHES] : SWITCHES
  return (
    <SectionCard id="sessions" title={texts.sessions}>
      <SettingRow label={texts.record} hint={texts.recordHint}>
        <Switch
          aria-label={texts.record}
          checked={current.session_record}
          disabled={!may}
          onChange={(event) => void settings.set('session_record', event.currentTarget.checked, texts.record)}
        />
      </SettingRow>
      {current.session_record ? (
        <SettingRow label={texts.policy} hint={texts.policyHint}>
          <NativeSelect
            size="xs"
            aria-label={texts.policy}
            value={current.recording_policy}
            disabled={!may}
            data={[
              { value: 'best-effort', label: texts.policies['best-effort'] },
              { value: 'required', label: texts.policies.required },
            ]}
            onChange={(event) => {
              const policy = event.currentTarget.value === 'required' ? 'required' : 'best-effort'
              void settings.set('recording_policy', policy, texts.policy)
            }}
          />
        </SettingRow>
      ) : null}
      <RetentionSetting key={current.recording_retention_days} namespace={namespace} settings={settings} may={may} />
      {switches.map(({ name, label, hint }) => (
        <SettingRow key={name} label={label} hint={hint}>
          <Switch
            aria-label={label}
            checked={current[name]}
            disabled={!may}
            onChange={(event) => void settings.set(name, event.currentTarget.checked, label)}
          />
        </SettingRow>
      ))}
    </SectionCard>
  )
}

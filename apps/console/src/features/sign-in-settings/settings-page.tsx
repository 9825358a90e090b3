// Sign-in settings of the server: switches, facts for a provider, the SAML provider, OpenID providers.
import type { SignInSettings } from '@bowline/contract/operations/single-sign-on'
import { singleSignOn } from '@bowline/contract/operations/single-sign-on'
import { useQuery } from '@tanstack/react-query'
import { usePerson, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Callout } from '../../ui/feedback/callout.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Skeleton, Stack, Switch, Text } from '../../ui/kit.ts'
import { Page } from '../../ui/page/page.tsx'
import { SectionCard, SettingRow } from '../../ui/page/section-card.tsx'
import { CopyField } from '../../ui/text/copy-field.tsx'
import { signInSettingsMessages as texts } from './messages.ts'
import { OpenidProviders } from './openid-providers.tsx'
import { OwnKeys } from './own-keys.tsx'
import { SETTINGS_KEY, settingsQuery } from './queries.ts'
import { ResponseCheck } from './response-check.tsx'
import { SamlDescription } from './saml-description.tsx'
import { SamlOptions } from './saml-options.tsx'
import { SamlProvider } from './saml-provider.tsx'

interface SignInSettingsPageProps {
  /** Result of a test that the browser comes back from. */
  readonly test: 'passed' | 'failed' | undefined
}

export function SignInSettingsPage({ test }: SignInSettingsPageProps) {
  const { api } = useRuntime()
  const isAdmin = usePerson()?.instance_admin === true
  const settings = useQuery({ ...settingsQuery(api), enabled: isAdmin })
  return (
    <Page title={texts.title}>
      {isAdmin ? null : <Callout tone="note">{texts.notAllowed}</Callout>}
      {settings.isError ? (
        <ErrorPanel title={texts.loadFailed} error={settings.error} onRetry={() => settings.refetch()} />
      ) : null}
      {isAdmin && settings.isPending ? <Skeleton height={320} /> : null}
      {settings.data ? (
        <Stack gap="md" maw={760}>
          {test ? <Callout tone={test === 'passed' ? 'note' : 'warn'}>{texts.results[test]}</Callout> : null}
          <Ways settings={settings.data} />
          <OwnData own={settings.data.own} />
          <SamlProvider provider={settings.data.provider} />
          <SamlDescription key={settings.data.provider.entity_id} provider={settings.data.provider} />
          {settings.data.provider.entity_id === '' ? null : (
            <>
              <SamlOptions provider={settings.data.provider} />
              <OwnKeys own={settings.data.own} />
              <ResponseCheck />
            </>
          )}
          <OpenidProviders providers={settings.data.openid} base={settings.data.own.openid_redirect_url} />
        </Stack>
      ) : null}
    </Page>
  )
}

const SWITCHES = ['local', 'saml', 'trust_addresses', 'provider_second_factor'] as const

function Ways({ settings }: { readonly settings: SignInSettings }) {
  const { api } = useRuntime()
  const change = useAction({
    call: ({ name, isOn }: { name: (typeof SWITCHES)[number]; isOn: boolean }) =>
      api.call(singleSignOn.update, { body: { [name]: isOn } }),
    done: ({ name }) => texts.saved(texts.switches[name].label),
    failed: texts.notSaved,
    invalidates: [SETTINGS_KEY],
  })
  return (
    <SectionCard title={texts.ways} text={texts.waysText}>
      {SWITCHES.map((name) => (
        <SettingRow key={name} label={texts.switches[name].label} hint={texts.switches[name].hint}>
          <Switch
            aria-label={texts.switches[name].label}
            checked={settings[name]}
            onChange={(event) => void change.run({ name, isOn: event.currentTarget.checked })}
          />
        </SettingRow>
      ))}
    </SectionCard>
  )
}

const OWN = ['entity_id', 'assertion_url', 'metadata_url'] as const

function OwnData({ own }: Pick<SignInSettings, 'own'>) {
  return (
    <SectionCard title={texts.own} text={texts.ownText}>
      <Stack gap="sm">
        {OWN.map((name) => (
          <div key={name}>
            <Text size="sm">{texts.ownFields[name]}</Text>
            <CopyField text={own[name]} what={texts.ownFields[name]} />
          </div>
        ))}
      </Stack>
    </SectionCard>
  )
}

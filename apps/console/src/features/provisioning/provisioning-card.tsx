// Provisioning in the namespace's settings: the switch, what the provider needs, roles, tokens and the last requests.
import { scim } from '@bowline/contract/operations/scim'
import { TenantId } from '@bowline/contract/schemas/common'
import { useQuery } from '@tanstack/react-query'
import { useMay, usePerson, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { keys } from '../../live/apply-events.ts'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { NativeSelect, Skeleton, Stack, Switch, Text, Title } from '../../ui/kit.ts'
import { SectionCard, SettingRow } from '../../ui/page/section-card.tsx'
import { CopyField } from '../../ui/text/copy-field.tsx'
import { formatCount } from '../../ui/text/numbers.ts'
import type { ProvisioningChange, ProvisioningProps } from './change.ts'
import { GroupRoles } from './group-roles.tsx'
import { LastRequests } from './last-requests.tsx'
import { provisioningMessages as texts } from './messages.ts'
import { PROVISIONING, provisioningQuery } from './queries.ts'
import { roleOf, roleOptions } from './role-options.ts'
import { Tokens } from './tokens.tsx'

/** Only administrators see it: others learn nothing about tokens and groups. */
export function ProvisioningCard() {
  const { api } = useRuntime()
  const tenant = usePerson()?.tenant ?? ''
  const may = useMay('namespaceEditMember')
  const query = useQuery({ ...provisioningQuery(api, tenant), enabled: may && tenant !== '' })
  const change = useAction({
    call: ({ body }: ProvisioningChange) => api.call(scim.update, { params: { tenant: TenantId.parse(tenant) }, body }),
    done: ({ done }) => done,
    failed: texts.changeFailed,
    // Members are marked while it is on.
    invalidates: [PROVISIONING, keys.namespace(tenant)],
  })
  if (!may) return null
  return (
    <SectionCard id="provisioning" title={texts.title} text={texts.text}>
      {query.isError ? (
        <ErrorPanel title={texts.loadFailed} error={query.error} onRetry={() => query.refetch()} />
      ) : null}
      {query.isPending ? <Skeleton height={120} /> : null}
      {query.data ? <Parts settings={query.data} change={change} /> : null}
    </SectionCard>
  )
}

function Parts({ settings, change }: ProvisioningProps) {
  const { enabled, mails, default_role: defaultRole } = settings
  const isUsed = enabled || settings.tokens.length > 0
  return (
    <Stack gap="md">
      <SettingRow label={texts.enabled} hint={texts.enabledHint}>
        <Switch
          aria-label={texts.enabled}
          checked={enabled}
          onChange={({ currentTarget: { checked } }) =>
            void change.run({ body: { enabled: checked }, done: texts.changed(texts.enabled) })
          }
        />
      </SettingRow>
      {isUsed ? (
        <>
          <div>
            <Text size="sm" fw={550}>
              {texts.baseUrl}
            </Text>
            <CopyField text={settings.base_url} what={texts.baseUrlWhat} />
            <Text size="xs" c="dimmed">
              {texts.known(formatCount(settings.users), formatCount(settings.groups))}
            </Text>
            <Text size="xs" c="dimmed">
              {settings.joins_at_sign_in ? texts.joinsAtSignIn : texts.joinsByAccepting}
            </Text>
          </div>
          <SettingRow label={texts.mails} hint={texts.mailsHint}>
            <Switch
              aria-label={texts.mails}
              checked={mails}
              onChange={({ currentTarget: { checked } }) =>
                void change.run({ body: { mails: checked }, done: texts.changed(texts.mails) })
              }
            />
          </SettingRow>
          <SettingRow label={texts.defaultRole} hint={texts.defaultRoleHint}>
            <NativeSelect
              size="xs"
              aria-label={texts.defaultRole}
              value={defaultRole}
              data={roleOptions}
              onChange={({ currentTarget: { value } }) =>
                void change.run({ body: { default_role: roleOf(value) }, done: texts.changed(texts.defaultRole) })
              }
            />
          </SettingRow>
          <Title order={3}>{texts.groups}</Title>
          <GroupRoles settings={settings} change={change} />
          <Title order={3}>{texts.tokens}</Title>
          <Tokens tokens={settings.tokens} />
          <Title order={3}>{texts.requests}</Title>
          <LastRequests requests={settings.requests} />
        </>
      ) : null}
    </Stack>
  )
}

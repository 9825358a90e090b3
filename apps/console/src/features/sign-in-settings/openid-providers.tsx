// OpenID providers: the list with a switch, a test, changes and removal.
import type { OpenidProvider } from '@bowline/contract/operations/single-sign-on'
import { openid } from '@bowline/contract/operations/single-sign-on'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { Dialog } from '../../ui/feedback/dialog.tsx'
import { Button, Group, Switch, Text, Title } from '../../ui/kit.ts'
import { SectionCard, SettingRow } from '../../ui/page/section-card.tsx'
import { groupRoleMessages } from './group-role-messages.ts'
import { GroupRoles } from './group-roles.tsx'
import { signInSettingsMessages as texts } from './messages.ts'
import { ChangeProvider, NewProvider } from './openid-forms.tsx'
import { SETTINGS_KEY } from './queries.ts'

interface OpenidProps {
  readonly providers: readonly OpenidProvider[]
  /** Beginning of redirect addresses. */
  readonly base: string
}

export function OpenidProviders({ providers, base }: OpenidProps) {
  return (
    <SectionCard title={texts.openid}>
      {providers.length === 0 ? <Text size="sm">{texts.noOpenid}</Text> : null}
      {providers.map((provider) => (
        <Provider key={provider.id} provider={provider} base={base} />
      ))}
      <Title order={3} mt="md">
        {texts.newOpenid}
      </Title>
      <NewProvider key={providers.length} base={base} />
    </SectionCard>
  )
}

function Provider({ provider, base }: { readonly provider: OpenidProvider; readonly base: string }) {
  const { api } = useRuntime()
  const [asking, setAsking] = useState<'change' | 'remove' | 'roles'>()
  const { id, name, issuer, enabled, roles } = provider
  const change = useAction({
    call: (isOn: boolean) => api.call(openid.update, { params: { id }, body: { enabled: isOn } }),
    failed: texts.notSaved,
    invalidates: [SETTINGS_KEY],
  })
  const remove = useAction({
    call: () => api.call(openid.remove, { params: { id } }),
    done: texts.removed(name),
    failed: texts.notRemoved,
    invalidates: [SETTINGS_KEY],
  })
  const test = useAction({
    call: () => api.call(openid.test, { params: { id } }),
    done: texts.discovered(name),
    failed: texts.notDiscovered,
  })
  return (
    <SettingRow label={name} hint={issuer}>
      <Group gap="xs">
        <Button
          size="compact-xs"
          variant="default"
          aria-label={texts.discoverOne(name)}
          onClick={() => void test.run(undefined)}
        >
          {texts.discover}
        </Button>
        <Button
          size="compact-xs"
          variant="default"
          aria-label={texts.changeOne(name)}
          onClick={() => setAsking('change')}
        >
          {texts.change}
        </Button>
        <Button
          size="compact-xs"
          variant="default"
          aria-label={groupRoleMessages.openOne(name)}
          onClick={() => setAsking('roles')}
        >
          {groupRoleMessages.open}
        </Button>
        <Button
          size="compact-xs"
          variant="default"
          aria-label={texts.removeOne(name)}
          onClick={() => setAsking('remove')}
        >
          {texts.remove}
        </Button>
        <Switch
          aria-label={texts.enabled(name)}
          checked={enabled}
          onChange={(event) => void change.run(event.currentTarget.checked)}
        />
      </Group>
      <Dialog opened={asking === 'change'} onClose={() => setAsking(undefined)} title={texts.changeOne(name)}>
        <ChangeProvider
          provider={provider}
          logoutUrl={base.replace(/callback$/, `${id}/backchannel-logout`)}
          onDone={() => setAsking(undefined)}
        />
      </Dialog>
      <Dialog
        opened={asking === 'roles'}
        onClose={() => setAsking(undefined)}
        title={groupRoleMessages.openOne(name)}
        size="lg"
      >
        <GroupRoles roles={roles} save={(next) => api.call(openid.update, { params: { id }, body: { roles: next } })} />
      </Dialog>
      <Confirm
        opened={asking === 'remove'}
        title={texts.removeTitle(name)}
        action={texts.remove}
        onConfirm={() => void remove.run(undefined)}
        onClose={() => setAsking(undefined)}
      >
        <Text size="sm">{texts.removeText}</Text>
      </Confirm>
    </SettingRow>
  )
}

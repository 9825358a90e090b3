// Tokens of identity providers: a token is shown once, when it is made.
import { scim } from '@bowline/contract/operations/scim'
import { TenantId } from '@bowline/contract/schemas/common'
import { type ScimToken, ScimTokenName } from '@bowline/contract/schemas/scim'
import { useState } from 'react'
import { z } from 'zod'
import { usePerson, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { keys } from '../../live/apply-events.ts'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { Dialog, DialogForm } from '../../ui/feedback/dialog.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { Button, Group, Stack, Text, TextInput } from '../../ui/kit.ts'
import { SettingRow } from '../../ui/page/section-card.tsx'
import { CopyField } from '../../ui/text/copy-field.tsx'
import { formatMoment } from '../../ui/text/numbers.ts'
import { provisioningMessages as texts } from './messages.ts'
import { PROVISIONING } from './queries.ts'

const Fields = z.object({ name: ScimTokenName })

export function Tokens({ tokens }: { readonly tokens: readonly ScimToken[] }) {
  const { api } = useRuntime()
  const tenant = usePerson()?.tenant ?? ''
  const [revoked, setRevoked] = useState<ScimToken>()
  const revoke = useAction({
    call: ({ id }: ScimToken) => api.call(scim.removeToken, { params: { tenant: TenantId.parse(tenant), id } }),
    done: ({ name }) => texts.revoked(name),
    failed: texts.revokeFailed,
    invalidates: [PROVISIONING, keys.namespace(tenant)],
  })
  return (
    <Stack gap="sm">
      {tokens.length === 0 ? <Text size="sm">{texts.noTokens}</Text> : null}
      {tokens.map((token) => (
        <SettingRow
          key={token.id}
          label={token.name}
          hint={token.last_used_at === null ? texts.neverUsed : texts.usedAt(formatMoment(token.last_used_at))}
        >
          <Button
            size="compact-xs"
            variant="default"
            aria-label={texts.revokeNamed(token.name)}
            onClick={() => setRevoked(token)}
          >
            {texts.revoke}
          </Button>
        </SettingRow>
      ))}
      <NewToken tenant={tenant} />
      <Confirm
        opened={revoked !== undefined}
        title={texts.revokeTitle(revoked?.name ?? '')}
        action={texts.revoke}
        onConfirm={() => (revoked ? void revoke.run(revoked) : undefined)}
        onClose={() => setRevoked(undefined)}
      >
        <Text size="sm">{texts.revokeText}</Text>
      </Confirm>
    </Stack>
  )
}

function NewToken({ tenant }: { readonly tenant: string }) {
  const [opened, setOpened] = useState(false)
  const [token, setToken] = useState<string>()
  const close = () => {
    setOpened(false)
    setToken(undefined)
  }
  return (
    <>
      <Group>
        <Button variant="default" onClick={() => setOpened(true)}>
          {texts.addToken}
        </Button>
      </Group>
      <Dialog
        opened={opened}
        onClose={close}
        title={token === undefined ? texts.addToken : texts.tokenTitle}
        insists={token !== undefined}
      >
        {token === undefined ? (
          <Create tenant={tenant} onToken={setToken} onCancel={close} />
        ) : (
          <Stack gap="md">
            <Text size="sm">{texts.tokenText}</Text>
            <CopyField text={token} what={texts.tokenWhat} focusFirst />
            <Group justify="flex-end">
              <Button onClick={close}>{texts.tokenCopied}</Button>
            </Group>
          </Stack>
        )}
      </Dialog>
    </>
  )
}

interface CreateProps {
  readonly tenant: string
  readonly onToken: (token: string) => void
  readonly onCancel: () => void
}

function Create({ tenant, onToken, onCancel }: CreateProps) {
  const { api } = useRuntime()
  const create = useAction({
    call: async (body: z.output<typeof Fields>) =>
      (await api.call(scim.createToken, { params: { tenant: TenantId.parse(tenant) }, body })).body,
    invalidates: [PROVISIONING, keys.namespace(tenant)],
  })
  const form = useContractForm({
    schema: Fields,
    values: { name: '' },
    labels: { name: texts.tokenName },
    async send(body) {
      onToken((await create.send(body)).token)
    },
  })
  return (
    <DialogForm form={form} failed={texts.tokenFailed} submit={texts.addToken} onCancel={onCancel}>
      <TextInput {...form.field('name')} data-autofocus autoComplete="off" />
    </DialogForm>
  )
}

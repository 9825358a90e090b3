// Keys of this server for SAML, and the change from one to the next.
import { singleSignOn } from '@bowline/contract/operations/single-sign-on'
import type { SignInSettings } from '@bowline/contract/operations/single-sign-on'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Callout } from '../../ui/feedback/callout.tsx'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { Button, Group, Stack, Text } from '../../ui/kit.ts'
import { SectionCard, SettingRow } from '../../ui/page/section-card.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { SETTINGS_KEY } from './queries.ts'
import { joinCertificates } from './saml-fields.ts'
import { samlMessages as texts } from './saml-messages.ts'

export function OwnKeys({ own: { certificates } }: Pick<SignInSettings, 'own'>) {
  const { api } = useRuntime()
  const [isAsking, setAsking] = useState(false)
  const isChanging = certificates.length > 1
  const begin = useAction({
    call: () => api.call(singleSignOn.addKey, {}),
    done: texts.begun,
    failed: texts.beginFailed,
    invalidates: [SETTINGS_KEY],
  })
  const finish = useAction({
    call: () => api.call(singleSignOn.removeKey, {}),
    done: texts.finished,
    failed: texts.finishFailed,
    invalidates: [SETTINGS_KEY],
  })
  const roleOf = (index: number) => (isChanging ? (index === 0 ? 'next' : 'last') : 'only')
  return (
    <SectionCard title={texts.keys} text={texts.keysText}>
      <Stack gap="sm">
        {certificates.map(({ certificate, fingerprint, ends_at: end }, index) => (
          <SettingRow key={fingerprint} label={texts.keyRoles[roleOf(index)]} hint={texts.keyUntil(end.slice(0, 10))}>
            <CopyButton text={joinCertificates([certificate])} what={texts.certificateWhat(end.slice(0, 10))} />
          </SettingRow>
        ))}
        {isChanging ? <Callout tone="warn">{texts.isChanging}</Callout> : null}
        <Group>
          <Button variant="default" loading={begin.isPending || finish.isPending} onClick={() => setAsking(true)}>
            {isChanging ? texts.finish : texts.begin}
          </Button>
        </Group>
      </Stack>
      <Confirm
        opened={isAsking}
        title={isChanging ? texts.finishTitle : texts.beginTitle}
        action={isChanging ? texts.finish : texts.begin}
        onConfirm={() => void (isChanging ? finish : begin).run(undefined)}
        onClose={() => setAsking(false)}
      >
        <Text size="sm">{isChanging ? texts.finishText : texts.beginText}</Text>
      </Confirm>
    </SectionCard>
  )
}

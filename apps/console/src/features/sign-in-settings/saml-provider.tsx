// The SAML provider: its facts and certificates, and the test.
import type { SignInSettings } from '@bowline/contract/operations/single-sign-on'
import { singleSignOn } from '@bowline/contract/operations/single-sign-on'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Callout } from '../../ui/feedback/callout.tsx'
import { Button, Group, Stack, Text } from '../../ui/kit.ts'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { endingSoon } from './certificate-end.ts'
import { signInSettingsMessages as texts } from './messages.ts'

export function SamlProvider({ provider }: Pick<SignInSettings, 'provider'>) {
  const { api } = useRuntime()
  const test = useAction({
    call: async () => {
      const { body } = await api.call(singleSignOn.test, {})
      location.assign(body.url)
    },
    failed: texts.testFailed,
  })
  return (
    <SectionCard title={texts.provider}>
      <Stack gap="sm">
        {provider.entity_id === '' ? <Text size="sm">{texts.noProvider}</Text> : <Facts provider={provider} />}
        {provider.entity_id === '' ? null : (
          <Group>
            <Button variant="default" loading={test.isPending} onClick={() => void test.run(undefined)}>
              {texts.test}
            </Button>
          </Group>
        )}
      </Stack>
    </SectionCard>
  )
}

function Facts({ provider }: Pick<SignInSettings, 'provider'>) {
  const [now] = useState(() => Date.now())
  const ending = endingSoon(provider.certificates, now)
  return (
    <Stack gap={4}>
      <Text size="sm">{texts.entity(provider.entity_id)}</Text>
      {provider.certificates.map(({ fingerprint, subject, ends_at: end }) => (
        <Text key={fingerprint} size="sm">
          {texts.certificate(subject, end.slice(0, 10))}
        </Text>
      ))}
      {ending.map(({ fingerprint, subject, ends_at: end }) => (
        <Callout key={fingerprint} tone="warn">
          {Date.parse(end) < now
            ? texts.certificateEnded(subject, end.slice(0, 10))
            : texts.certificateEnds(subject, end.slice(0, 10), ending.length < provider.certificates.length)}
        </Callout>
      ))}
      {provider.metadata_checked_at === null ? null : (
        <Text size="sm">
          {texts.metadataRead(provider.metadata_url)} <TimeAgo time={provider.metadata_checked_at} />
        </Text>
      )}
      {provider.metadata_failure === '' ? null : (
        <Callout tone="warn">{texts.metadataFailed(provider.metadata_failure)}</Callout>
      )}
      <Text size="sm">{provider.tested_at === null ? texts.notTested : texts.tested}</Text>
    </Stack>
  )
}

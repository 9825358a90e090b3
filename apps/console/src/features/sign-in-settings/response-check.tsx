// The tester: what a pasted response would do, and why.
import { singleSignOn } from '@bowline/contract/operations/single-sign-on'
import type { Output } from '@bowline/contract/operation'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Callout } from '../../ui/feedback/callout.tsx'
import { TextArea } from '../../ui/form/text-area.tsx'
import { Button, Group, Stack, Text } from '../../ui/kit.ts'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { groupRoleMessages } from './group-role-messages.ts'
import { signInSettingsMessages as texts } from './messages.ts'

type Verdict = Output<typeof singleSignOn.check>

export function ResponseCheck() {
  const { api } = useRuntime()
  const [response, setResponse] = useState('')
  const [verdict, setVerdict] = useState<Verdict>()
  const check = useAction({
    call: async () => setVerdict((await api.call(singleSignOn.check, { body: { response } })).body),
    failed: texts.checkFailed,
  })
  return (
    <SectionCard title={texts.check} text={texts.checkText}>
      <Stack gap="sm">
        <TextArea
          label={texts.response}
          rows={4}
          spellCheck={false}
          onChange={(event) => setResponse(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button loading={check.isPending} disabled={response === ''} onClick={() => void check.run(undefined)}>
            {texts.checkIt}
          </Button>
        </Group>
        {verdict ? <Result verdict={verdict} /> : null}
      </Stack>
    </SectionCard>
  )
}

function Result({ verdict }: { readonly verdict: Verdict }) {
  const { accepted, reason, subject, email, effect, groups, attributes, roles } = verdict
  return (
    <Callout tone={accepted ? 'note' : 'warn'}>
      <Text size="sm">{reason === '' ? texts.accepted(subject, email) : texts.refused(reason)}</Text>
      {effect === 'none' || effect === 'refuse' ? null : (
        <>
          <Text size="sm">{texts.effects[effect]}</Text>
          <Text size="sm">{texts.groups[groups]}</Text>
        </>
      )}
      {roles.map(({ namespace, role, outcome }) => (
        <Text key={namespace} size="sm">
          {groupRoleMessages.outcomes[outcome](role === '' ? '' : groupRoleMessages.roles[role], namespace)}
        </Text>
      ))}
      {attributes.map(({ name, values }) => (
        <Text key={name} size="sm">
          {`${name}: ${values.join(', ')}`}
        </Text>
      ))}
    </Callout>
  )
}

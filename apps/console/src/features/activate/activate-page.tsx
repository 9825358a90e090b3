// Page on which a signed-in person lets a program sign in by its code.
import { ApiError } from '@bowline/contract/client'
import { programs } from '@bowline/contract/operations/programs'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { z } from 'zod'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Callout } from '../../ui/feedback/callout.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { Button, Group, Stack, Text, TextInput } from '../../ui/kit.ts'
import { Page } from '../../ui/page/page.tsx'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { activateMessages as texts } from './messages.ts'

const route = getRouteApi('/app/activate')
const Code = z.object({ user_code: z.string().trim().min(8, 'must have eight letters').max(32) })

interface Waiting {
  readonly code: string
  readonly name: string
  readonly source: string
  readonly place: string
  readonly expires_in: number
}

export function ActivatePage() {
  const { code = '' } = route.useSearch()
  const [waiting, setWaiting] = useState<Waiting>()
  const [outcome, setOutcome] = useState<string>()
  return (
    <Page title={texts.title}>
      <Stack gap="md" maw={560}>
        {outcome === undefined ? null : (
          <Callout tone="note" urgent>
            {outcome}
          </Callout>
        )}
        {outcome === undefined && waiting === undefined ? <CodeForm code={code} onFound={setWaiting} /> : null}
        {outcome === undefined && waiting ? <Decision waiting={waiting} onDecided={setOutcome} /> : null}
      </Stack>
    </Page>
  )
}

/** The code of a link is filled in but not sent: a link alone must not lead past the question what it is about. */
function CodeForm({ code, onFound }: { readonly code: string; readonly onFound: (waiting: Waiting) => void }) {
  const { api } = useRuntime()
  const form = useContractForm({
    losable: true,
    schema: Code,
    values: { user_code: code },
    labels: { user_code: texts.code },
    async send(body) {
      try {
        const found = (await api.call(programs.describe, { body })).body
        onFound({ ...found, code: body.user_code })
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 404)) throw error
        form.form.setError('user_code', { message: texts.notFound }, { shouldFocus: true })
      }
    },
  })
  return (
    <SectionCard title={texts.title} text={texts.intro}>
      <form noValidate onSubmit={(event) => void form.onSubmit(event)}>
        <Stack gap="md">
          {form.failure === undefined ? null : <ErrorPanel title={texts.lookUpFailed} error={form.failure} />}
          <TextInput
            {...form.field('user_code')}
            description={texts.codeHint}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
          />
          <Group justify="flex-end">
            <Button type="submit" loading={form.form.formState.isSubmitting}>
              {texts.continue}
            </Button>
          </Group>
        </Stack>
      </form>
    </SectionCard>
  )
}

function Decision({
  waiting: { code, name, source, place, expires_in },
  onDecided,
}: {
  readonly waiting: Waiting
  readonly onDecided: (outcome: string) => void
}) {
  const { api } = useRuntime()
  const decide = useAction({
    call: async (approve: boolean) => {
      await api.call(programs.decide, { body: { user_code: code, approve } })
      onDecided(approve ? texts.approved(name) : texts.denied(name))
    },
    failed: texts.decideFailed,
  })
  return (
    <SectionCard title={texts.question(name)} text={texts.warning}>
      <Text size="sm">
        {texts.from} <strong>{source}</strong> ({place === '' ? texts.unknownPlace : place}).{' '}
        {texts.left(Math.max(1, Math.round(expires_in / 60)))}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" loading={decide.isPending} onClick={() => void decide.run(false)}>
          {texts.deny}
        </Button>
        <Button loading={decide.isPending} onClick={() => void decide.run(true)}>
          {texts.approve}
        </Button>
      </Group>
    </SectionCard>
  )
}

// Page for people whose second factor is lost: which ways back in there are.
import { mfa } from '@bowline/contract/operations/mfa'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { z } from 'zod'
import { useRuntime } from '../../core/context.tsx'
import { Callout } from '../../ui/feedback/callout.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { Button, Stack, Text, TextInput, Title } from '../../ui/kit.ts'
import { FrontPage } from '../../ui/page/front-page.tsx'
import { CopyField } from '../../ui/text/copy-field.tsx'
import { secondFactorMessages as texts } from './messages.ts'

const Fields = z.object({ identifier: z.string().trim().min(1, 'is required').max(320) })

export function LostDevicePage() {
  const { api } = useRuntime()
  const [isRequested, setRequested] = useState(false)
  const form = useContractForm({
    losable: true,
    schema: Fields,
    values: { identifier: '' },
    labels: { identifier: texts.identifier },
    async send(body) {
      await api.call(mfa.requestReset, { body })
      setRequested(true)
    },
  })
  return (
    <FrontPage title={texts.lostTitle} heading={texts.lostHeading}>
      <Stack gap="md">
        <Title order={2}>{texts.lostCodes}</Title>
        <Text size="sm">{texts.lostCodesText}</Text>
        <Link to="/sign-in">{texts.lostSignIn}</Link>
        <Title order={2}>{texts.lostMail}</Title>
        <Text size="sm">{texts.lostMailText}</Text>
        {isRequested ? (
          <Callout tone="note" urgent>
            {texts.requested}
          </Callout>
        ) : (
          <form noValidate onSubmit={(event) => void form.onSubmit(event)}>
            <Stack gap="md">
              {form.failure === undefined ? null : <ErrorPanel title={texts.requestFailed} error={form.failure} />}
              <TextInput
                {...form.field('identifier')}
                autoComplete="username"
                autoCapitalize="none"
                spellCheck={false}
              />
              <Button type="submit" fullWidth loading={form.form.formState.isSubmitting}>
                {texts.request}
              </Button>
            </Stack>
          </form>
        )}
        <Text size="sm">{texts.lostOperator}</Text>
        <CopyField text="bowline user reset-factors NAME" what={texts.lostOperatorWhat} />
      </Stack>
    </FrontPage>
  )
}

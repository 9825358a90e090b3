// Every mail as it looks. The HTML is shown in a frame without scripts, forms, navigation or an origin of its own.
import type { MailPreview } from '@bowline/contract/schemas/mail'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { NativeSelect, Skeleton, Stack, Text, Title } from '../../ui/kit.ts'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { mailMessages as texts } from './messages.ts'
import { kindDescription, kindName } from './kind-name.ts'
import { previewsQuery } from './queries.ts'
import classes from './mail.module.css'

export function Previews() {
  const { api } = useRuntime()
  const { data, isError, error, refetch, isPending } = useQuery(previewsQuery(api))
  const [chosen, choose] = useState('')
  const preview = data?.find((one) => idOf(one) === chosen) ?? data?.[0]
  return (
    <SectionCard title={texts.previews} text={texts.previewsText}>
      {isError ? <ErrorPanel title={texts.previewsFailed} error={error} onRetry={() => refetch()} /> : null}
      {isPending ? <Skeleton height={320} /> : null}
      {data && preview ? (
        <Stack gap="md">
          <NativeSelect
            label={texts.choose}
            maw={400}
            value={idOf(preview)}
            data={data.map((one) => ({ value: idOf(one), label: nameOf(one) }))}
            onChange={(event) => choose(event.currentTarget.value)}
          />
          <Preview preview={preview} />
        </Stack>
      ) : null}
    </SectionCard>
  )
}

const idOf = ({ kind, event }: MailPreview): string => `${kind} ${event}`

function nameOf({ kind, event, subject, own }: MailPreview): string {
  const name = event === '' ? kindName(kind) : `${kindName(kind)}: ${subject}`
  return own ? `${name} (${texts.own})` : name
}

function Preview({ preview }: { readonly preview: MailPreview }) {
  const { kind, subject, text, html } = preview
  const name = nameOf(preview)
  return (
    <>
      <Text size="sm" c="dimmed">
        {kindDescription(kind)} {texts.file(`${kind}.txt`)}
      </Text>
      <Text size="sm">
        {texts.subject}: <strong>{subject}</strong>
      </Text>
      {html === '' ? (
        <Text size="sm" c="dimmed">
          {texts.noHtml}
        </Text>
      ) : (
        <iframe title={texts.htmlPart(name)} className={classes['preview']} sandbox="" srcDoc={html} />
      )}
      <Title order={3}>{texts.asText}</Title>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so keys must be able to reach it */}
      <section className={classes['text']} tabIndex={0} aria-label={texts.textPart(name)}>
        {text}
      </section>
    </>
  )
}

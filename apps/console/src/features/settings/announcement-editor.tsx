// Editor for the text shown when a terminal opens, with a preview.
import { LIMITS } from '@bowline/contract/limits'
import { useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import { useRuntime } from '../../core/context.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Button, Group, Stack, Text } from '../../ui/kit.ts'
import { formatCount } from '../../ui/text/numbers.ts'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { TextArea } from '../../ui/form/text-area.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { parseSshEndpoint, sshLine } from '../devices/add/commands.ts'
import { useSshUser } from '../../core/devices/ssh-user.ts'
import { infoQuery } from '../instance/queries.ts'
import { settingsMessages as texts } from './messages.ts'
import type { SettingsProps } from './use-namespace-settings.ts'
import classes from './settings.module.css'

const Fields = z.object({
  connection_announcement: z
    .string()
    .max(LIMITS.connectionAnnouncement, `must have at most ${LIMITS.connectionAnnouncement} characters`),
})

export function AnnouncementEditor({ namespace, settings, may }: SettingsProps) {
  const stored = namespace.settings.connection_announcement
  const form = useContractForm({
    schema: Fields,
    values: { connection_announcement: stored },
    labels: texts.labels,
    async send(next) {
      const before = { connection_announcement: stored }
      await settings.save.send({
        change: { settings: next },
        before: { settings: before },
        done: texts.announcementSaved,
      })
    },
  })
  const text = form.form.watch('connection_announcement')
  const changed = text !== stored
  return (
    <SectionCard id="announcement" title={texts.announcement} text={texts.announcementText}>
      <form noValidate onSubmit={(event) => void form.onSubmit(event)}>
        <Stack gap="sm">
          {form.failure === undefined ? null : <ErrorPanel title={texts.announcementFailed} error={form.failure} />}
          <TextArea {...form.field('connection_announcement')} rows={5} disabled={!may} className={classes['editor']} />
          <Text size="xs" c="dimmed" ta="end">
            {texts.announcementCount(formatCount(text.length), formatCount(LIMITS.connectionAnnouncement))}
          </Text>
          <Preview namespace={namespace.name} text={text} />
          {may ? (
            <Group justify="flex-end" gap="xs">
              <Button variant="default" disabled={!changed} onClick={() => form.form.reset()}>
                {texts.reset}
              </Button>
              <Button type="submit" disabled={!changed} loading={form.form.formState.isSubmitting}>
                {texts.save}
              </Button>
            </Group>
          ) : null}
        </Stack>
      </form>
    </SectionCard>
  )
}

/** As ssh prints it: plain text, whatever it contains. */
function Preview({ namespace, text }: { readonly namespace: string; readonly text: string }) {
  const { api } = useRuntime()
  const { data: info } = useQuery(infoQuery(api))
  const user = useSshUser()
  const endpoint = parseSshEndpoint(info?.endpoints.ssh ?? '')
  const device = 'device'
  return (
    <figure className={classes['terminal']}>
      <figcaption>{texts.preview}</figcaption>
      <pre>
        <span className={classes['prompt']}>$ </span>
        {sshLine(endpoint, { namespace, device }, user)}
        {'\n'}
        {text === '' ? '' : `${text}\n`}
        {`${user}@${namespace}.${device}@${endpoint.host}'s password: `}
      </pre>
    </figure>
  )
}

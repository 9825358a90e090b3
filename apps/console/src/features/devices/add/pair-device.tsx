// Adds a device by the code that it shows: the code, then what waits under it to compare, then the confirmation.
import { ApiError } from '@bowline/contract/client'
import { DeviceName } from '@bowline/contract/operations/devices'
import { pairings } from '@bowline/contract/operations/fleet/pairings'
import type { WaitingPairing } from '@bowline/contract/schemas/fleet/pairing'
import { useEffect, useRef, useState } from 'react'
import { z } from 'zod'
import { useMay, useRuntime } from '../../../core/context.tsx'
import { useAction } from '../../../core/use-action.ts'
import { keys } from '../../../live/apply-events.ts'
import { announce } from '../../../ui/feedback/announce.tsx'
import { Callout } from '../../../ui/feedback/callout.tsx'
import { ErrorPanel } from '../../../ui/feedback/error-panel.tsx'
import { useContractForm } from '../../../ui/form/use-contract-form.ts'
import { Button, Group, Stack, Text, TextInput, Title } from '../../../ui/kit.ts'
import { Fact, Facts } from '../../../ui/page/facts.tsx'
import { TimeAgo } from '../../../ui/text/time-ago.tsx'
import { pairingMessages as texts } from './messages.ts'

interface Found extends WaitingPairing {
  readonly code: string
}

/** `onPaired` is called with the uid of a device that was added. */
export function PairDevice({ onPaired }: { readonly onPaired: (uid: string) => void }) {
  const mayAccept = useMay('deviceAccept')
  const [found, setFound] = useState<Found>()
  const [hasReturned, setReturned] = useState(false)
  const leave = () => {
    setFound(undefined)
    setReturned(true)
  }
  return (
    <section aria-label={texts.title}>
      <Stack gap="xs">
        <Title order={3} size="h5">
          {texts.title}
        </Title>
        <Text size="sm">{texts.intro}</Text>
        {mayAccept ? null : <Callout tone="note">{texts.roleTooLow}</Callout>}
        {mayAccept && !found ? <CodeForm focuses={hasReturned} onFound={setFound} /> : null}
        {mayAccept && found ? (
          <Confirmation
            found={found}
            onBack={leave}
            onAdded={(uid) => {
              leave()
              onPaired(uid)
            }}
          />
        ) : null}
      </Stack>
    </section>
  )
}

const Code = z.object({ code: z.string().trim().min(8, texts.tooShort).max(32) })

/** `focuses`: the person was in this section before it. */
function CodeForm({ focuses, onFound }: { readonly focuses: boolean; readonly onFound: (found: Found) => void }) {
  const { api } = useRuntime()
  const form = useContractForm({
    schema: Code,
    values: { code: '' },
    labels: { code: texts.code },
    async send(body) {
      try {
        const found = (await api.call(pairings.describe, { body })).body
        announce(texts.found(found.name))
        onFound({ ...found, code: body.code })
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 404)) throw error
        form.form.setError('code', { message: texts.notFound }, { shouldFocus: true })
      }
    },
  })
  const { setFocus } = form.form
  useEffect(() => {
    if (focuses) setFocus('code')
  }, [focuses, setFocus])
  return (
    <form noValidate onSubmit={(event) => void form.onSubmit(event)}>
      <Stack gap="xs">
        {form.failure === undefined ? null : <ErrorPanel title={texts.lookUpFailed} error={form.failure} />}
        <Group align="flex-start" gap="xs">
          <TextInput
            {...form.field('code')}
            flex={1}
            description={texts.codeHint}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
          />
          <Button type="submit" variant="default" mt={25} loading={form.form.formState.isSubmitting}>
            {texts.lookUp}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const Naming = z.object({ name: DeviceName })

interface ConfirmationProps {
  readonly found: Found
  readonly onBack: () => void
  readonly onAdded: (uid: string) => void
}

function Confirmation({ found, onBack, onAdded }: ConfirmationProps) {
  const { api } = useRuntime()
  const { code, fingerprint, info, source, place, replaces } = found
  const card = useRef<HTMLElement>(null)
  // Screen readers reach the facts of the device before the button that confirms them.
  useEffect(() => card.current?.focus(), [])
  const add = useAction({
    call: async (name: string) => (await api.call(pairings.confirm, { body: { code, fingerprint, name } })).body,
    done: (_, device) => texts.added(device.name),
    invalidates: [keys.deviceLists, keys.stats],
  })
  const form = useContractForm({
    schema: Naming,
    values: { name: found.name },
    labels: { name: texts.name },
    async send({ name }) {
      onAdded((await add.send(name)).uid)
    },
  })
  const isGone = form.failure instanceof ApiError && form.failure.status === 404
  return (
    <section ref={card} tabIndex={-1} aria-label={texts.isIt(found.name)}>
      <form noValidate onSubmit={(event) => void form.onSubmit(event)}>
        <Stack gap="sm">
          {isGone ? <Callout tone="warn">{texts.gone}</Callout> : null}
          {form.failure === undefined || isGone ? null : <ErrorPanel title={texts.addFailed} error={form.failure} />}
          <Facts title={texts.isIt(found.name)}>
            <Fact name={texts.facts.fingerprint}>
              <code>{fingerprint}</code>
            </Fact>
            <Fact name={texts.facts.system}>{`${info.pretty_name}, ${info.arch}`}</Fact>
            <Fact name={texts.facts.version}>{info.version}</Fact>
            <Fact name={texts.facts.source}>{place === '' ? source : `${source} (${place})`}</Fact>
            <Fact name={texts.facts.asked}>
              <TimeAgo time={found.asked_at} />
            </Fact>
          </Facts>
          {replaces ? (
            <Callout tone="warn">{texts.replaces(replaces.name)}</Callout>
          ) : (
            <Text size="sm">{texts.compare}</Text>
          )}
          <TextInput {...form.field('name')} autoComplete="off" />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onBack}>
              {texts.back}
            </Button>
            <Button type="submit" loading={form.form.formState.isSubmitting}>
              {texts.add}
            </Button>
          </Group>
        </Stack>
      </form>
    </section>
  )
}

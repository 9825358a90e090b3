// Limits of one namespace, and of all that have none of their own.
import { administration } from '@bowline/contract/operations/instance/administration'
import {
  DefaultLimits,
  LIMIT_NAMES,
  NamespaceLimits,
  type NamespaceLimitName,
} from '@bowline/contract/schemas/instance/administration'
import type { TenantId } from '@bowline/contract/schemas/common'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Dialog, DialogForm } from '../../ui/feedback/dialog.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { Button, Skeleton, Text, TextInput } from '../../ui/kit.ts'
import { Fact } from '../../ui/page/facts.tsx'
import { SectionCard } from '../../ui/page/section-card.tsx'
import classes from './administration.module.css'
import { administrationMessages } from './messages.ts'
import { LIMITS_OF_ALL, NAMESPACES, defaultLimitsQuery } from './queries.ts'

const texts = administrationMessages.limits

/** Text of a field; `''`: the limit of the server. */
const Typed = z
  .string()
  .trim()
  .regex(/^(-1|\d{1,7})?$/, texts.wholeNumber)
const Fields = z.object({ devices: Typed, members: Typed, sessions: Typed, tunnels: Typed, api_keys: Typed })

const shown = (value: number | null): string =>
  value === null ? texts.ofServer : value === -1 ? texts.none : texts.atMost(value)

function LimitFacts({ limits }: { readonly limits: NamespaceLimits }) {
  return (
    <dl className={classes['limits']}>
      {LIMIT_NAMES.map((name) => (
        <Fact key={name} name={texts.names[name]}>
          {shown(limits[name])}
        </Fact>
      ))}
    </dl>
  )
}

interface FormProps {
  readonly limits: NamespaceLimits
  readonly hint: string
  readonly send: (limits: NamespaceLimits) => Promise<unknown>
  readonly onDone: () => void
}

function LimitsForm({ limits, hint, send, onDone }: FormProps) {
  const textOf = (name: NamespaceLimitName): string => (limits[name] === null ? '' : String(limits[name]))
  const form = useContractForm({
    schema: Fields,
    values: {
      devices: textOf('devices'),
      members: textOf('members'),
      sessions: textOf('sessions'),
      tunnels: textOf('tunnels'),
      api_keys: textOf('api_keys'),
    },
    labels: texts.names,
    async send(typed) {
      const valueOf = (name: NamespaceLimitName): number | null => (typed[name] === '' ? null : Number(typed[name]))
      await send({
        devices: valueOf('devices'),
        members: valueOf('members'),
        sessions: valueOf('sessions'),
        tunnels: valueOf('tunnels'),
        api_keys: valueOf('api_keys'),
      })
      onDone()
    },
  })
  return (
    <DialogForm form={form} failed={texts.saveFailed} submit={texts.save} onCancel={onDone}>
      <Text size="sm" c="dimmed">
        {hint}
      </Text>
      {LIMIT_NAMES.map((name) => (
        <TextInput key={name} {...form.field(name)} inputMode="numeric" autoComplete="off" />
      ))}
    </DialogForm>
  )
}

export function LimitsCard({ tenant, limits }: { readonly tenant: TenantId; readonly limits: NamespaceLimits }) {
  const { api } = useRuntime()
  const [isOpen, setOpen] = useState(false)
  const save = useAction({
    call: (body: NamespaceLimits) => api.call(administration.setLimits, { params: { namespace: tenant }, body }),
    done: texts.saved,
    invalidates: [NAMESPACES],
  })
  return (
    <SectionCard title={texts.title} text={texts.text} actions={<ChangeButton onClick={() => setOpen(true)} />}>
      <LimitFacts limits={limits} />
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={texts.change}>
        <LimitsForm limits={limits} hint={texts.hint} send={save.send} onDone={() => setOpen(false)} />
      </Dialog>
    </SectionCard>
  )
}

function ChangeButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <Button variant="default" size="xs" onClick={onClick}>
      {texts.change}
    </Button>
  )
}

/** Without a limit of the server a field that is left empty means none. */
const toDefaults = (limits: NamespaceLimits): DefaultLimits =>
  DefaultLimits.parse(Object.fromEntries(LIMIT_NAMES.map((name) => [name, limits[name] ?? -1])))

export function DefaultLimitsCard() {
  const { api } = useRuntime()
  const query = useQuery(defaultLimitsQuery(api))
  const [isOpen, setOpen] = useState(false)
  const save = useAction({
    call: (limits: NamespaceLimits) => api.call(administration.setDefaults, { body: toDefaults(limits) }),
    done: texts.saved,
    invalidates: [LIMITS_OF_ALL],
  })
  const { data } = query
  return (
    <SectionCard
      title={texts.titleOfAll}
      text={texts.textOfAll}
      actions={data ? <ChangeButton onClick={() => setOpen(true)} /> : null}
    >
      {query.isError ? (
        <ErrorPanel title={texts.loadFailed} error={query.error} onRetry={() => query.refetch()} />
      ) : null}
      {query.isPending ? <Skeleton height={120} /> : null}
      {data ? <LimitFacts limits={data} /> : null}
      {data ? (
        <Dialog opened={isOpen} onClose={() => setOpen(false)} title={texts.change}>
          <LimitsForm limits={data} hint={texts.hintOfAll} send={save.send} onDone={() => setOpen(false)} />
        </Dialog>
      ) : null}
    </SectionCard>
  )
}

// The second factor of the signed-in person: authenticators, recovery codes, on and off.
import { mfa } from '@bowline/contract/operations/mfa'
import type { SecondFactor } from '@bowline/contract/schemas/second-factor'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { usePerson, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Callout } from '../../ui/feedback/callout.tsx'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { Dialog } from '../../ui/feedback/dialog.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Button, Group, Skeleton, Stack, Text } from '../../ui/kit.ts'
import { SectionCard, SettingRow } from '../../ui/page/section-card.tsx'
import { infoQuery } from '../instance/queries.ts'
import { Authenticators } from './authenticators.tsx'
import { CodeForm, type TypedCode } from './code-form.tsx'
import { secondFactorMessages as texts } from './messages.ts'
import { SECOND_FACTOR, secondFactorQuery } from './queries.ts'
import { RecoveryCodes } from './recovery-codes.tsx'
import { Wizard } from './wizard.tsx'

export function SecondFactorCard() {
  const { api } = useRuntime()
  const person = usePerson()
  const factor = useQuery(secondFactorQuery(api))
  const info = useQuery(infoQuery(api))
  const [isAdding, setAdding] = useState(false)
  const [codes, setCodes] = useState<readonly string[]>([])
  const needsAddress = info.data?.edition === 'cloud' && person?.recovery_email === ''
  const { data, error } = factor
  return (
    <SectionCard id="second-factor" title={texts.card} text={texts.cardText}>
      {error ? (
        <ErrorPanel title={texts.loadFailed} error={error} onRetry={() => factor.refetch()} />
      ) : data ? (
        <Stack gap="md">
          {data.authenticators.length ? <Authenticators list={data.authenticators} /> : null}
          {data.enabled ? (
            <Codes left={data.recovery_codes_left} onRenewed={setCodes} />
          ) : (
            <Text size="sm">{texts.off}</Text>
          )}
          {needsAddress ? <Callout tone="note">{texts.recoveryAddress}</Callout> : null}
          <Buttons factor={data} needsAddress={needsAddress} onAdd={() => setAdding(true)} />
        </Stack>
      ) : (
        <Skeleton height={48} />
      )}
      <Wizard
        opened={isAdding}
        onClose={() => setAdding(false)}
        onAdded={(recoveryCodes) => {
          setAdding(false)
          setCodes(recoveryCodes)
        }}
      />
      <RecoveryCodes codes={codes} onSaved={() => setCodes([])} />
    </SectionCard>
  )
}

interface CodesProps {
  readonly left: number
  readonly onRenewed: (codes: readonly string[]) => void
}

function Codes({ left, onRenewed }: CodesProps) {
  const { api } = useRuntime()
  const [isAsking, setAsking] = useState(false)
  const renew = useAction({
    async call() {
      onRenewed((await api.call(mfa.renewRecoveryCodes, {})).body.recovery_codes)
    },
    failed: texts.renewFailed,
    invalidates: [SECOND_FACTOR, ['account-activity']],
  })
  return (
    <SettingRow label={texts.codesLeft(left)} hint={texts.codesLeftHint}>
      <Button variant="default" size="xs" loading={renew.isPending} onClick={() => setAsking(true)}>
        {texts.renew}
      </Button>
      <Confirm
        opened={isAsking}
        title={texts.renewTitle}
        action={texts.renew}
        onClose={() => setAsking(false)}
        onConfirm={() => void renew.run()}
      >
        {texts.renewText}
      </Confirm>
    </SettingRow>
  )
}

interface ButtonsProps {
  readonly factor: SecondFactor
  readonly needsAddress: boolean
  readonly onAdd: () => void
}

function Buttons({ factor, needsAddress, onAdd }: ButtonsProps) {
  const { api, session } = useRuntime()
  const [isEnding, setEnding] = useState(false)
  const disable = useAction({
    async call(body: TypedCode) {
      await api.call(mfa.disable, { body })
      await session.renew()
    },
    done: texts.turnedOff,
    invalidates: [SECOND_FACTOR, ['account-activity']],
  })
  const close = (): void => setEnding(false)
  return (
    <Group justify="flex-end" gap="xs">
      {factor.authenticators.length > 0 ? (
        <Button variant="default" onClick={() => setEnding(true)}>
          {texts.turnOff}
        </Button>
      ) : null}
      <Button variant={factor.enabled ? 'default' : 'filled'} disabled={needsAddress} onClick={onAdd}>
        {texts.add}
      </Button>
      <Dialog opened={isEnding} onClose={close} title={texts.turnOffTitle}>
        <Stack gap="md">
          <Text size="sm">{texts.turnOffText}</Text>
          <CodeForm
            code
            recoveryCode={factor.recovery_codes_left > 0}
            submit={texts.turnOff}
            failed={texts.turnOffFailed}
            onCancel={close}
            send={async (typed) => {
              await disable.send(typed)
              close()
            }}
          />
        </Stack>
      </Dialog>
    </Group>
  )
}

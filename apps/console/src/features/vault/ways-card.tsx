// Ways to unlock the vault, when it locks by itself, and its end.
import { useState } from 'react'
import { z } from 'zod'
import { usePerson, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Callout } from '../../ui/feedback/callout.tsx'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { Dialog, DialogForm } from '../../ui/feedback/dialog.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { Button, Group, NativeSelect, Stack, Text } from '../../ui/kit.ts'
import { SectionCard, SettingRow } from '../../ui/page/section-card.tsx'
import { hasPasskeys } from '../passkeys/browser.ts'
import { proofFault } from './key-form.tsx'
import { vaultMessages as texts } from './messages.ts'
import {
  NewWayFields,
  NewWayValues,
  ProofFields,
  ProofValues,
  checkNewWay,
  checkProof,
  firstWay,
  toNewWay,
  toProof,
  wayName,
} from './proof-fields.tsx'
import type { VaultHeader, Way, WayKind } from './store/records.ts'
import { vaultOf } from './vault.ts'

/** A way to be added. */
interface Change {
  readonly kind: WayKind
  /** Id of the way that it replaces. */
  readonly replaces?: string
}

export function WaysCard({ header }: { readonly header: VaultHeader }) {
  const vault = vaultOf(useRuntime())
  const [change, setChange] = useState<Change>()
  const [removing, setRemoving] = useState<Way>()
  const { ways } = header
  const passphrase = ways.find(({ kind }) => kind === 'passphrase')
  const remove = useAction({
    call: ({ id }: Way) => vault.removeWay(id),
    done: texts.wayRemoved,
    failed: texts.failed,
  })
  const setIdle = useAction({ call: (minutes: number) => vault.setIdleMinutes(minutes), failed: texts.failed })
  return (
    <SectionCard title={texts.waysTitle} text={texts.waysText}>
      <Stack gap="md">
        {passphrase || ways.length > 1 ? null : <Callout tone="note">{texts.onlyPasskey}</Callout>}
        {ways.map((way) => (
          <Group key={way.id} justify="space-between">
            <Text size="sm">{wayName(way)}</Text>
            <Group gap="xs">
              {way.kind === 'passphrase' ? (
                <Button
                  size="compact-sm"
                  variant="default"
                  onClick={() => setChange({ kind: 'passphrase', replaces: way.id })}
                >
                  {texts.changePassphrase}
                </Button>
              ) : null}
              <Button
                size="compact-sm"
                variant="default"
                disabled={ways.length === 1}
                aria-label={texts.removeWay(wayName(way))}
                onClick={() => setRemoving(way)}
              >
                {texts.remove}
              </Button>
            </Group>
          </Group>
        ))}
        <Group justify="flex-end" gap="xs">
          {passphrase ? null : (
            <Button variant="default" onClick={() => setChange({ kind: 'passphrase' })}>
              {texts.addPassphrase}
            </Button>
          )}
          <Button variant="default" disabled={!hasPasskeys()} onClick={() => setChange({ kind: 'passkey' })}>
            {texts.addPasskey}
          </Button>
        </Group>
        <SettingRow label={texts.idle} hint={texts.idleHint}>
          <NativeSelect
            aria-label={texts.idle}
            value={String(header.idleMinutes)}
            data={texts.idleChoices.map(([minutes, label]) => ({ value: String(minutes), label }))}
            onChange={(event) => void setIdle.run(Number(event.currentTarget.value))}
          />
        </SettingRow>
      </Stack>
      <WayDialog change={change} header={header} onClose={() => setChange(undefined)} />
      <Confirm
        opened={removing !== undefined}
        title={texts.removeWayTitle(removing ? wayName(removing) : '')}
        action={texts.remove}
        onClose={() => setRemoving(undefined)}
        onConfirm={() => removing && void remove.run(removing)}
      >
        <Text size="sm">{texts.removeWayText}</Text>
      </Confirm>
    </SectionCard>
  )
}

interface WayDialogProps {
  readonly change: Change | undefined
  readonly header: VaultHeader
  readonly onClose: () => void
}

function titleOf({ kind, replaces }: Change): string {
  if (kind === 'passkey') return texts.addPasskey
  return replaces === undefined ? texts.addPassphrase : texts.changePassphrase
}

function WayDialog({ change, header, onClose }: WayDialogProps) {
  return (
    <Dialog opened={change !== undefined} onClose={onClose} title={change ? titleOf(change) : ''}>
      {change ? <WayForm change={change} ways={header.ways} onDone={onClose} /> : null}
    </Dialog>
  )
}

interface WayFormProps {
  readonly change: Change
  readonly ways: readonly Way[]
  readonly onDone: () => void
}

const Values = z.object({ ...ProofValues.shape, ...NewWayValues.shape })

function WayForm({ change, ways, onDone }: WayFormProps) {
  const vault = vaultOf(useRuntime())
  const person = usePerson()?.email ?? ''
  const set = useAction({
    call: (values: z.infer<typeof Values>) =>
      vault.setWay(toProof(ways, values), toNewWay(values, person), change.replaces),
    done: texts.wayChanged,
  })
  const form = useContractForm({
    losable: true,
    schema: Values.superRefine((values, context) => {
      checkProof(ways, values, context)
      checkNewWay(values, context)
    }),
    values: { by: firstWay(ways), passphrase: '', kind: change.kind, newPassphrase: '', repeat: '' },
    labels: texts.labels,
    async send(values) {
      try {
        await set.send(values)
        onDone()
      } catch (error) {
        const fault = proofFault(error)
        if (!fault) throw error
        form.form.setError(fault.field, { message: fault.message }, { shouldFocus: true })
      }
    },
  })
  return (
    <DialogForm form={form} failed={texts.failed} submit={texts.save} onCancel={onDone}>
      <ProofFields form={form} ways={ways} by={form.form.watch('by')} />
      <NewWayFields form={form} kind={change.kind} canChoose={false} />
    </DialogForm>
  )
}

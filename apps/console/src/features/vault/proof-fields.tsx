// Fields that prove who changes the vault, and those of a new way to unlock it.
import { z } from 'zod'
import { NativeSelect, Text } from '../../ui/kit.ts'
import { PasswordField } from '../../ui/form/password-field.tsx'
import type { ContractForm } from '../../ui/form/use-contract-form.ts'
import { hasPasskeys } from '../passkeys/browser.ts'
import { vaultMessages as texts } from './messages.ts'
import type { Way, WayKind } from './store/records.ts'
import { VaultError } from './store/vault-error.ts'
import type { NewWay, Proof } from './ways.ts'
import { locale } from '../../platform/language/language.ts'
import { timeZone } from '../../platform/time-zone.ts'

const MIN_PASSPHRASE = 12
const MAX_PASSPHRASE = 1_024

export const ProofValues = z.object({ by: z.string(), passphrase: z.string().max(MAX_PASSPHRASE) })
export type ProofValues = z.infer<typeof ProofValues>

export const NewWayValues = z.object({
  kind: z.enum(['passphrase', 'passkey']),
  newPassphrase: z.string().max(MAX_PASSPHRASE),
  repeat: z.string().max(MAX_PASSPHRASE),
})
export type NewWayValues = z.infer<typeof NewWayValues>

const refuse = (context: z.RefinementCtx, path: string, message: string) =>
  context.addIssue({ code: 'custom', path: [path], message })

export function checkNewWay({ kind, newPassphrase, repeat }: NewWayValues, context: z.RefinementCtx): void {
  if (kind === 'passkey') return
  if (newPassphrase.length < MIN_PASSPHRASE) refuse(context, 'newPassphrase', texts.passphraseShort)
  else if (newPassphrase !== repeat) refuse(context, 'repeat', texts.passphraseDiffers)
}

/** @param ways of the vault */
export function checkProof(ways: readonly Way[], values: ProofValues, context: z.RefinementCtx): void {
  if (kindOf(ways, values.by) === 'passphrase' && values.passphrase === '') {
    refuse(context, 'passphrase', texts.passphraseRequired)
  }
}

const kindOf = (ways: readonly Way[], id: string): WayKind | undefined => ways.find((way) => way.id === id)?.kind

export function toProof(ways: readonly Way[], { by, passphrase }: ProofValues): Proof {
  const way = ways.find(({ id }) => id === by)
  if (!way) throw new VaultError('changed')
  return way.kind === 'passphrase' ? { way, passphrase } : { way }
}

/** The way that is asked for first: a passkey is quicker where there is one. */
export const firstWay = (ways: readonly Way[]): string =>
  (ways.find(({ kind }) => kind === 'passkey' && hasPasskeys()) ?? ways[0])?.id ?? ''

export function toNewWay({ kind, newPassphrase }: NewWayValues, person: string): NewWay {
  if (kind === 'passphrase') return { kind, passphrase: newPassphrase }
  return { kind, person, name: new Date().toLocaleDateString(locale, { timeZone }) }
}

export const wayName = (way: Way): string =>
  way.kind === 'passphrase' ? texts.wayPassphrase : texts.wayPasskey(way.name)

interface ProofFieldsProps {
  readonly form: Pick<ContractForm<ProofValues>, 'field'>
  readonly ways: readonly Way[]
  /** The chosen way. */
  readonly by: string
}

export function ProofFields({ form, ways, by }: ProofFieldsProps) {
  return (
    <>
      {ways.length > 1 ? (
        <NativeSelect {...form.field('by')} data={ways.map((way) => ({ value: way.id, label: wayName(way) }))} />
      ) : null}
      {kindOf(ways, by) === 'passphrase' ? (
        <PasswordField {...form.field('passphrase')} description={texts.proofHint} autoComplete="off" />
      ) : (
        <Text size="sm" c="dimmed">
          {texts.passkeyAsked}
        </Text>
      )}
    </>
  )
}

interface NewWayFieldsProps {
  readonly form: Pick<ContractForm<NewWayValues>, 'field'>
  /** The chosen kind. */
  readonly kind: WayKind
  /** True where the person may choose between passphrase and passkey. */
  readonly canChoose: boolean
}

export function NewWayFields({ form, kind, canChoose }: NewWayFieldsProps) {
  return (
    <>
      {canChoose && hasPasskeys() ? (
        <NativeSelect
          {...form.field('kind')}
          data={Object.entries(texts.by).map(([value, label]) => ({ value, label }))}
        />
      ) : null}
      {kind === 'passphrase' ? (
        <>
          <PasswordField {...form.field('newPassphrase')} description={texts.passphraseHint} autoComplete="off" />
          <PasswordField {...form.field('repeat')} autoComplete="off" />
        </>
      ) : (
        <Text size="sm" c="dimmed">
          {texts.passkeyHint}
        </Text>
      )}
    </>
  )
}

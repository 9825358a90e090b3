// Page of the private keys that this browser keeps for the signed-in person.
import { Lock, LockOpen, Plus, WandSparkles } from 'lucide-react'
import { useState } from 'react'
import { useRuntime, useStore } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { announce } from '../../ui/feedback/announce.tsx'
import { Callout } from '../../ui/feedback/callout.tsx'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { Badge, Button, Group, Skeleton, Stack, Text } from '../../ui/kit.ts'
import { Page } from '../../ui/page/page.tsx'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { BackupCard, RestoreButton } from './backup-card.tsx'
import { KeyForm, type KeySource } from './key-form.tsx'
import { KeysTable } from './keys-table.tsx'
import { vaultErrors, vaultMessages as texts } from './messages.ts'
import { Registration } from './registration.tsx'
import { UnlockForm } from './unlock-form.tsx'
import type { VaultState } from './vault-state.ts'
import { vaultOf } from './vault.ts'
import { WaysCard } from './ways-card.tsx'

export function VaultPage() {
  const vault = vaultOf(useRuntime())
  const state = useStore(vault.state)
  return (
    <Page title={texts.title} mark={<LockMark state={state} />} actions={<LockButton state={state} />}>
      <Stack gap="md" maw={860}>
        {state.kind === 'loading' ? <Skeleton height={180} /> : <Content state={state} />}
      </Stack>
    </Page>
  )
}

function LockMark({ state: { kind } }: { readonly state: VaultState }) {
  if (kind !== 'locked' && kind !== 'unlocked') return null
  return (
    <Badge variant="default" leftSection={kind === 'locked' ? <Lock size={12} /> : <LockOpen size={12} />}>
      {texts[kind]}
    </Badge>
  )
}

function LockButton({ state }: { readonly state: VaultState }) {
  const vault = vaultOf(useRuntime())
  if (state.kind !== 'unlocked') return null
  const lock = () => {
    vault.lock()
    announce(texts.announceLocked)
  }
  return (
    <Button variant="default" leftSection={<Lock size={15} aria-hidden />} onClick={lock}>
      {texts.lock}
    </Button>
  )
}

function Content({ state }: { readonly state: Exclude<VaultState, { kind: 'loading' }> }) {
  const [source, setSource] = useState<KeySource>()
  const [added, setAdded] = useState<string>()
  if (state.kind === 'unreadable') {
    return (
      <>
        <Callout tone="warn" title={texts.unreadable}>
          {vaultErrors[state.reason]}
        </Callout>
        {state.reason === 'damaged' ? <ForgetCard /> : null}
      </>
    )
  }
  const hasVault = state.kind !== 'none'
  return (
    <>
      {state.kind === 'locked' ? (
        <SectionCard title={texts.unlockTitle}>
          <UnlockForm ways={state.header.ways} />
        </SectionCard>
      ) : null}
      <SectionCard title={texts.table} text={texts.intro}>
        <Stack gap="md">
          {hasVault ? <KeysTable keys={state.keys} onRegister={setAdded} /> : <Text size="sm">{texts.empty}</Text>}
          {hasVault ? null : (
            <div>
              <Text size="sm" c="dimmed">
                {texts.setUp}
              </Text>
              <RestoreButton />
            </div>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" leftSection={<Plus size={15} aria-hidden />} onClick={() => setSource('add')}>
              {texts.add}
            </Button>
            <Button leftSection={<WandSparkles size={15} aria-hidden />} onClick={() => setSource('make')}>
              {texts.make}
            </Button>
          </Group>
        </Stack>
      </SectionCard>
      {hasVault ? <WaysCard header={state.header} /> : null}
      {hasVault ? <BackupCard /> : null}
      {hasVault ? <ForgetCard /> : null}
      <KeyForm
        source={source}
        onClose={() => setSource(undefined)}
        onDone={(id) => {
          setSource(undefined)
          setAdded(id)
        }}
      />
      <Registration
        item={hasVault ? state.keys.find(({ id }) => id === added) : undefined}
        onClose={() => setAdded(undefined)}
      />
    </>
  )
}

function ForgetCard() {
  const vault = vaultOf(useRuntime())
  const [isAsking, setAsking] = useState(false)
  const forget = useAction({ call: () => vault.forget(), done: texts.forgotten, failed: texts.failed })
  return (
    <SectionCard title={texts.forget} text={texts.forgetHint} danger>
      <Group justify="flex-end">
        <Button color="red.8" onClick={() => setAsking(true)}>
          {texts.forget}
        </Button>
      </Group>
      <Confirm
        opened={isAsking}
        title={texts.forgetTitle}
        action={texts.forget}
        onClose={() => setAsking(false)}
        onConfirm={() => void forget.run()}
      >
        <Text size="sm">{texts.forgetText}</Text>
      </Confirm>
    </SectionCard>
  )
}

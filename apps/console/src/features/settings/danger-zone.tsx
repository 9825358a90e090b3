// Leaving and deleting the namespace.
import { members, namespaces } from '@bowline/contract/operations/namespaces'
import type { Namespace } from '@bowline/contract/schemas/namespace'
import { useState } from 'react'
import { useMay, usePerson, useRuntime } from '../../core/context.tsx'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { Button, Text, TextInput } from '../../ui/kit.ts'
import { notifyDone, notifyFailure } from '../../ui/feedback/notify.tsx'
import { SectionCard, SettingRow } from '../../ui/page/section-card.tsx'
import { settingsMessages as texts } from './messages.ts'

export function DangerZone({ namespace }: { readonly namespace: Namespace }) {
  const { api, session } = useRuntime()
  const isOwner = usePerson()?.role === 'owner'
  const mayRemove = useMay('namespaceDelete')
  const [asked, setAsked] = useState<'leave' | 'remove'>()
  const [typed, setTyped] = useState('')
  const params = { tenant: namespace.tenant_id }
  const { name } = namespace

  const leaveOrRemove = async (what: 'leave' | 'remove') => {
    try {
      await (what === 'leave' ? api.call(members.leave, { params }) : api.call(namespaces.remove, { params }))
      notifyDone({ title: what === 'leave' ? texts.left(name) : texts.removed(name) })
      // The token names a namespace that the person no longer has: get one for the next namespace.
      await session.renew()
    } catch (error) {
      notifyFailure({ title: what === 'leave' ? texts.leaveFailed : texts.removeFailed, error })
    }
  }
  const close = () => {
    setAsked(undefined)
    setTyped('')
  }
  return (
    <SectionCard title={texts.danger} danger>
      <SettingRow label={texts.leave} hint={isOwner ? texts.leaveOwner : texts.leaveText}>
        <Button variant="default" disabled={isOwner} onClick={() => setAsked('leave')}>
          {texts.leave}
        </Button>
      </SettingRow>
      <SettingRow label={texts.remove} hint={mayRemove ? texts.removeText : texts.removeOwner}>
        <Button color="red.8" disabled={!mayRemove} onClick={() => setAsked('remove')}>
          {texts.remove}
        </Button>
      </SettingRow>
      <Confirm
        opened={asked === 'leave'}
        title={texts.leaveTitle(name)}
        action={texts.leave}
        onClose={close}
        onConfirm={() => void leaveOrRemove('leave')}
      >
        <Text size="sm">{texts.leaveText}</Text>
      </Confirm>
      <Confirm
        opened={asked === 'remove'}
        title={texts.removeTitle(name)}
        action={texts.remove}
        refused={typed.trim() !== name}
        onClose={close}
        onConfirm={() => void leaveOrRemove('remove')}
      >
        <Text size="sm" mb="sm">
          {texts.removeText}
        </Text>
        <TextInput
          label={texts.removeType(name)}
          value={typed}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </Confirm>
    </SectionCard>
  )
}

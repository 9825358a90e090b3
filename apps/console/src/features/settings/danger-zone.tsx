// Leaving and deleting the namespace.
import { LIMITS } from '@bowline/contract/limits'
import { members, namespaces } from '@bowline/contract/operations/namespaces'
import type { Namespace } from '@bowline/contract/schemas/namespace'
import { useState } from 'react'
import { useMay, usePerson, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { TypedConfirm } from '../../ui/feedback/typed-confirm.tsx'
import { Button, Text } from '../../ui/kit.ts'
import { SectionCard, SettingRow } from '../../ui/page/section-card.tsx'
import { formatMoment } from '../../ui/text/numbers.ts'
import { useNow } from '../../ui/text/ticker.ts'
import { settingsMessages as texts } from './messages.ts'

const DAY_MS = 86_400_000

export function DangerZone({ namespace }: { readonly namespace: Namespace }) {
  const { api, session } = useRuntime()
  const isOwner = usePerson()?.role === 'owner'
  const mayRemove = useMay('namespaceDelete')
  const [asked, setAsked] = useState<'leave' | 'remove'>()
  const now = useNow()
  const params = { tenant: namespace.tenant_id }
  const { name } = namespace

  const depart = useAction({
    async call(what: 'leave' | 'remove') {
      await (what === 'leave' ? api.call(members.leave, { params }) : api.call(namespaces.remove, { params }))
      // The token names a namespace that the person no longer has: get one for the next namespace.
      await session.renew()
    },
    done: (what) => (what === 'leave' ? texts.left(name) : texts.removed(name)),
    failed: (what) => (what === 'leave' ? texts.leaveFailed : texts.removeFailed),
  })
  const close = () => setAsked(undefined)
  return (
    <SectionCard id="danger" title={texts.danger} danger>
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
        onConfirm={() => void depart.run('leave')}
      >
        <Text size="sm">{texts.leaveText}</Text>
      </Confirm>
      <TypedConfirm
        opened={asked === 'remove'}
        title={texts.removeTitle(name)}
        action={texts.remove}
        word={name}
        onClose={close}
        onConfirm={() => void depart.run('remove')}
      >
        <Text size="sm">{texts.removeAt(formatMoment(new Date(now + LIMITS.restoreDays * DAY_MS).toISOString()))}</Text>
      </TypedConfirm>
    </SectionCard>
  )
}

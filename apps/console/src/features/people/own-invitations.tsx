// Invitations that wait for the signed-in person; nothing without any.
import type { Invitation } from '@bowline/contract/schemas/namespace'
import { useQuery } from '@tanstack/react-query'
import { useRuntime } from '../../core/context.tsx'
import { Button } from '../../ui/kit.ts'
import { SectionCard, SettingRow } from '../../ui/page/section-card.tsx'
import { invitationsQuery, useAcceptInvitation } from './invitations.ts'
import { peopleMessages as texts } from './messages.ts'

export function OwnInvitations() {
  const { api } = useRuntime()
  const { data = [] } = useQuery(invitationsQuery(api))
  if (!data.length) return null
  return (
    <SectionCard id="invitations" title={texts.invitations} text={texts.invitationsText}>
      {data.map((invitation) => (
        <OwnInvitation key={invitation.tenant_id} invitation={invitation} />
      ))}
    </SectionCard>
  )
}

function OwnInvitation({ invitation }: { readonly invitation: Invitation }) {
  const accept = useAcceptInvitation()
  const { namespace, inviter, role } = invitation
  return (
    <SettingRow label={namespace} hint={texts.invitedBy(inviter, role)}>
      <Button
        size="xs"
        aria-label={texts.acceptOf(namespace)}
        loading={accept.isPending}
        onClick={() => void accept.run(invitation)}
      >
        {texts.accept}
      </Button>
    </SettingRow>
  )
}

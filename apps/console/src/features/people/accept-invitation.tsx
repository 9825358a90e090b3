// Asks the invited person whether to become a member.
import type { Invitation } from '@bowline/contract/schemas/namespace'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useRuntime } from '../../core/context.tsx'
import { FrontPage } from '../../ui/page/front-page.tsx'
import { Button, Stack, Text } from '../../ui/kit.ts'
import { InvitationGone } from './invitation-gone.tsx'
import { InvitationLoading } from './invitation-loading.tsx'
import { invitationsQuery, useAcceptInvitation } from './invitations.ts'
import { peopleMessages as texts } from './messages.ts'
import type { InvitationLink } from './search.ts'

export function AcceptInvitation({ link }: { readonly link: InvitationLink }) {
  const { api } = useRuntime()
  const { data, error, refetch } = useQuery(invitationsQuery(api))
  const invitation = data?.find(({ tenant_id: tenant }) => tenant === link.tenant.toLowerCase())
  if (invitation) return <Prompt invitation={invitation} sig={link.sig} />
  if (data) return <InvitationGone />
  return <InvitationLoading error={error} onRetry={() => refetch()} />
}

function Prompt({ invitation, sig }: { readonly invitation: Invitation; readonly sig: string }) {
  const navigate = useNavigate()
  const { namespace, role, inviter } = invitation
  const accept = useAcceptInvitation()
  const start = async () => {
    if (await accept.run({ ...invitation, sig })) await navigate({ to: '/', replace: true })
  }
  return (
    <FrontPage title={texts.invitation} heading={texts.invited(namespace)}>
      <Stack>
        <Text size="sm">{texts.invitedBy(inviter, role)}</Text>
        <Button fullWidth loading={accept.isPending} onClick={() => void start()}>
          {texts.accept}
        </Button>
        <Link to="/">{texts.notNow}</Link>
      </Stack>
    </FrontPage>
  )
}

// Landing of an invitation: signed-out people see who invites them to what, and go to sign-up or sign-in, both of which
// come back; the invited account gets a prompt; another account has to sign out first.
import { ApiError } from '@bowline/contract/client'
import { members } from '@bowline/contract/operations/namespaces'
import { TenantId } from '@bowline/contract/schemas/common'
import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi } from '@tanstack/react-router'
import { useRuntime, useSessionState } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import type { Person } from '../../auth/session.ts'
import { FrontPage } from '../../ui/page/front-page.tsx'
import { Button, Stack, Text } from '../../ui/kit.ts'
import { AcceptInvitation } from './accept-invitation.tsx'
import { InvitationGone } from './invitation-gone.tsx'
import { InvitationLoading } from './invitation-loading.tsx'
import { peopleMessages as texts } from './messages.ts'
import { type InvitationLink, hrefOf, linkOf, searchOf } from './search.ts'

const route = getRouteApi('/accept-invite')

export function AcceptInvitePage() {
  const link = linkOf(route.useSearch())
  const state = useSessionState()
  if (!link || !TenantId.safeParse(link.tenant).success) return <InvitationGone />
  if (state.kind !== 'signed-in') return <SignedOut link={link} />
  // An account that has taken over the invited address is not the one that the link names.
  const isInvited = state.person.id === link.user || state.person.email === link.email.toLowerCase()
  if (!isInvited) return <OtherAccount link={link} person={state.person} />
  return <AcceptInvitation link={link} />
}

/** Shows the invitation, and the way to the account that may accept it. */
function SignedOut({ link }: { readonly link: InvitationLink }) {
  const { api } = useRuntime()
  const { data, error, refetch } = useQuery({
    queryKey: ['invitation', link],
    queryFn: async ({ signal }) => {
      const params = { tenant: TenantId.parse(link.tenant), id: link.user }
      return (await api.call(members.inviteStatus, { params, query: { sig: link.sig }, signal })).body
    },
    gcTime: 0,
    retry: false,
  })
  if (error instanceof ApiError && [400, 403, 404].includes(error.status)) return <InvitationGone />
  if (!data) return <InvitationLoading error={error} onRetry={() => refetch()} />
  const { namespace, role, inviter, status } = data
  const signIn = { to: '/sign-in', search: { redirect: hrefOf(link) } } as const
  return (
    <FrontPage title={texts.invitation} heading={texts.invited(namespace)}>
      <Stack>
        <Text size="sm">{texts.invitedBy(inviter, role)}</Text>
        {status === 'invited' ? (
          <Button fullWidth renderRoot={(props) => <Link {...props} to="/sign-up" search={searchOf(link)} />}>
            {texts.signUp}
          </Button>
        ) : (
          <Button fullWidth renderRoot={(props) => <Link {...props} {...signIn} />}>
            {texts.signIn}
          </Button>
        )}
        {status === 'invited' ? <Link {...signIn}>{texts.haveAccount}</Link> : null}
      </Stack>
    </FrontPage>
  )
}

function OtherAccount({ link, person }: { readonly link: InvitationLink; readonly person: Person }) {
  const { session } = useRuntime()
  const signOut = useAction({ call: () => session.signOut(), failed: texts.signOutFailed })
  return (
    <FrontPage title={texts.invitation} heading={texts.otherAccount}>
      <Stack>
        <Text size="sm">{texts.otherAccountText(link.email, person.email)}</Text>
        <Button fullWidth loading={signOut.isPending} onClick={() => void signOut.run()}>
          {texts.signOut}
        </Button>
        <Link to="/">{texts.notNow}</Link>
      </Stack>
    </FrontPage>
  )
}

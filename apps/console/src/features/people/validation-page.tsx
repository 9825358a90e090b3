// Landing of the link that confirms an address: of a new account, or a new address of an account.
import { Email } from '@bowline/contract/schemas/common'
import { Link, getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { usePerson } from '../../core/context.tsx'
import { FrontPage } from '../../ui/page/front-page.tsx'
import { Stack, Text } from '../../ui/kit.ts'
import { ConfirmAddress, type Outcome } from './confirm-address.tsx'
import { peopleMessages as texts } from './messages.ts'

const route = getRouteApi('/validation-account')

export function ValidationPage() {
  const { email, token } = route.useSearch()
  const address = Email.safeParse(email)
  if (!address.success || !token) return <InvalidLink />
  return <Validation key={`${address.data} ${token}`} email={address.data} token={token} />
}

function Validation({ email, token }: { readonly email: string; readonly token: string }) {
  const [outcome, setOutcome] = useState<Outcome>()
  if (outcome === 'confirmed') return <Confirmed />
  if (outcome === 'invalid') return <InvalidLink />
  if (outcome === 'name-taken') {
    return (
      <FrontPage title={texts.confirm} heading={texts.nameTaken}>
        <Stack>
          <Text size="sm" role="alert">
            {texts.nameTakenText}
          </Text>
          <Link to="/sign-up">{texts.signUp}</Link>
        </Stack>
      </FrontPage>
    )
  }
  if (outcome === 'closed') {
    return (
      <FrontPage title={texts.confirm} heading={texts.closedMeanwhile}>
        <Text size="sm" role="alert">
          {texts.closedMeanwhileText}
        </Text>
      </FrontPage>
    )
  }
  return (
    <FrontPage title={texts.confirm} heading={texts.confirm}>
      <ConfirmAddress email={email} token={token} onEnd={setOutcome} />
    </FrontPage>
  )
}

function Confirmed() {
  const isSignedIn = usePerson() !== undefined
  return (
    <FrontPage title={texts.confirmed} heading={texts.confirmed}>
      <Stack>
        {isSignedIn ? null : (
          <Text size="sm" component="output">
            {texts.confirmedText}
          </Text>
        )}
        <WayOn />
      </Stack>
    </FrontPage>
  )
}

function InvalidLink() {
  const isSignedIn = usePerson() !== undefined
  return (
    <FrontPage title={texts.confirm} heading={texts.invalidLink}>
      <Stack>
        <Text size="sm" role="alert">
          {texts.invalidLinkText}
        </Text>
        <Text size="sm">{isSignedIn ? texts.justUsedSignedIn : texts.justUsed}</Text>
        <Link to="/confirm-account">{texts.resend}</Link>
        <WayOn />
      </Stack>
    </FrontPage>
  )
}

function WayOn() {
  return usePerson() === undefined ? <Link to="/sign-in">{texts.toSignIn}</Link> : <Link to="/">{texts.toConsole}</Link>
}

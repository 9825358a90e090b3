// Page after a registration: the mail is on its way, and can be asked for again.
import { users } from '@bowline/contract/operations/users'
import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi } from '@tanstack/react-router'
import { useRuntime } from '../../core/context.tsx'
import { FrontPage } from '../../ui/page/front-page.tsx'
import { Stack, Text } from '../../ui/kit.ts'
import { infoQuery } from '../instance/queries.ts'
import { AskForMail } from './ask-for-mail.tsx'
import { peopleMessages as texts } from './messages.ts'

const route = getRouteApi('/confirm-account')

export function ConfirmAccountPage() {
  const { api } = useRuntime()
  const { data: info } = useQuery(infoQuery(api))
  const { username = '' } = route.useSearch()
  return (
    <FrontPage title={texts.confirm} heading={texts.confirm}>
      <Stack>
        {info?.mail === false ? (
          <Text size="sm">{texts.noMail}</Text>
        ) : (
          <>
            <Text size="sm">{texts.confirmText}</Text>
            <AskForMail
              name={username}
              call={(name) => api.call(users.resendEmail, { body: { username: name } })}
              submit={texts.resend}
              done={texts.resent}
              failed={texts.resendFailed}
              variant="default"
            />
          </>
        )}
        <Link to="/sign-in">{texts.toSignIn}</Link>
      </Stack>
    </FrontPage>
  )
}

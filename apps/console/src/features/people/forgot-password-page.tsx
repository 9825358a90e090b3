// Asks for the mail that recovers a password.
import { users } from '@bowline/contract/operations/users'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRuntime } from '../../core/context.tsx'
import { CopyField } from '../../ui/text/copy-field.tsx'
import { FrontPage } from '../../ui/page/front-page.tsx'
import { Stack, Text } from '../../ui/kit.ts'
import { infoQuery } from '../instance/queries.ts'
import { AskForMail } from './ask-for-mail.tsx'
import { peopleMessages as texts } from './messages.ts'

export function ForgotPasswordPage() {
  const { api } = useRuntime()
  const { data: info } = useQuery(infoQuery(api))
  return (
    <FrontPage title={texts.forgot} heading={texts.forgot}>
      <Stack>
        {info?.mail === false ? (
          <>
            <Text size="sm">{texts.forgotNoMail}</Text>
            <CopyField text="bowline user password USERNAME -" what={texts.forgotCommand} />
          </>
        ) : (
          <>
            <Text size="sm">{texts.forgotText}</Text>
            <AskForMail
              name=""
              call={(name) => api.call(users.recoverPassword, { body: { username: name } })}
              submit={texts.forgotSubmit}
              done={texts.forgotDoneText}
              failed={texts.forgotFailed}
              variant="filled"
            />
          </>
        )}
        <Link to="/sign-in">{texts.toSignIn}</Link>
      </Stack>
    </FrontPage>
  )
}

// An invitation that nobody can accept any more.
import { Link } from '@tanstack/react-router'
import { FrontPage } from '../../ui/page/front-page.tsx'
import { Stack, Text } from '../../ui/kit.ts'
import { peopleMessages as texts } from './messages.ts'

export function InvitationGone() {
  return (
    <FrontPage title={texts.invitation} heading={texts.invitationGone}>
      <Stack>
        <Text size="sm">{texts.invitationGoneText}</Text>
        <Link to="/">{texts.toConsole}</Link>
      </Stack>
    </FrontPage>
  )
}
